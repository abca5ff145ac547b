# SPDX-License-Identifier: MIT
"""A model that says what it was given to say, on this machine alone: the streams of Anthropic's
Messages and of OpenAI's Responses, as far as Claude Code, OpenCode and Codex read them.

    model.py PORT TURNS.json REQUESTS.jsonl

TURNS is an array of {"text": …, "call": {"name": …, "input": {…}}}, one a turn; `call` may be absent.
Each request's body becomes a line of REQUESTS.
"""
import http.server
import json
import sys

PORT, TURNS, REQUESTS = int(sys.argv[1]), json.load(open(sys.argv[2], encoding='utf-8')), sys.argv[3]


def anthropic(number, turn, model):
    """The events of one turn: a block of text, then perhaps a call."""
    yield {'type': 'message_start', 'message': {
        'id': f'msg_{number}', 'type': 'message', 'role': 'assistant', 'model': model, 'content': [],
        'stop_reason': None, 'stop_sequence': None, 'usage': {'input_tokens': 1, 'output_tokens': 1}}}
    blocks = [({'type': 'text', 'text': ''}, {'type': 'text_delta', 'text': turn['text']})]
    if 'call' in turn:
        blocks.append(({'type': 'tool_use', 'id': f'toolu_{number}', 'name': turn['call']['name'], 'input': {}},
                       {'type': 'input_json_delta', 'partial_json': json.dumps(turn['call']['input'])}))
    for i, (block, delta) in enumerate(blocks):
        yield {'type': 'content_block_start', 'index': i, 'content_block': block}
        yield {'type': 'content_block_delta', 'index': i, 'delta': delta}
        yield {'type': 'content_block_stop', 'index': i}
    stop = 'tool_use' if 'call' in turn else 'end_turn'
    yield {'type': 'message_delta', 'delta': {'stop_reason': stop, 'stop_sequence': None},
           'usage': {'output_tokens': 2}}
    yield {'type': 'message_stop'}


def responses(number, turn):
    items = [{'type': 'message', 'id': f'm_{number}', 'role': 'assistant', 'status': 'completed',
              'content': [{'type': 'output_text', 'text': turn['text'], 'annotations': []}]}]
    if 'call' in turn:
        items.append({'type': 'function_call', 'id': f'f_{number}', 'call_id': f'call_{number}',
                      'name': turn['call']['name'], 'arguments': json.dumps(turn['call']['input']),
                      'status': 'completed'})
    head = {'id': f'r_{number}', 'object': 'response', 'status': 'in_progress', 'output': []}
    yield {'type': 'response.created', 'response': head}
    for i, item in enumerate(items):
        yield {'type': 'response.output_item.done', 'output_index': i, 'item': item}
    usage = {'input_tokens': 1, 'input_tokens_details': {'cached_tokens': 0}, 'output_tokens': 1,
             'output_tokens_details': {'reasoning_tokens': 0}, 'total_tokens': 2}
    yield {'type': 'response.completed', 'response': {**head, 'status': 'completed', 'output': items, 'usage': usage}}


class Model(http.server.BaseHTTPRequestHandler):
    turn = 0

    def log_message(self, *_):
        pass

    def reply(self, kind, body):
        self.send_response(200)
        self.send_header('Content-Type', kind)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_HEAD(self):
        self.reply('application/json', b'')

    def do_GET(self):
        self.reply('application/json', b'{"data": [], "models": []}')

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get('Content-Length', 0))) or b'{}')
        with open(REQUESTS, 'a', encoding='utf-8') as f:
            f.write(json.dumps(body) + '\n')
        if not body.get('stream') or 'count_tokens' in self.path:
            self.reply('application/json', b'{"input_tokens": 1}')
            return
        if not body.get('tools'):  # a title is asked for, beside what is said
            turn = {'text': 'Mast talk'}
        else:
            turn = TURNS[Model.turn] if Model.turn < len(TURNS) else {'text': 'Nothing more.'}
            Model.turn += 1
        events = (responses(Model.turn, turn) if '/responses' in self.path else
                  anthropic(Model.turn, turn, body.get('model', 'x')))
        text = ''.join(f'event: {e["type"]}\ndata: {json.dumps(e)}\n\n' for e in events)
        self.reply('text/event-stream', text.encode())


http.server.ThreadingHTTPServer(('127.0.0.1', PORT), Model).serve_forever()
