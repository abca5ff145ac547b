/* SPDX-License-Identifier: MIT */
/*
 * Which phrases are signals, in Spanish and English, and what forbids them.  A rule
 * is written to miss rather than to make up: a fact that nobody stated is worse than
 * one that must be typed into facts/.  tests/signals/labelled.tsv holds it to that.
 */
#include "render/text/signal.h"

#define APOS "(?:'|\\x{2019})"

/* Where a clause starts: what is an order there ("siempre usá …") is gossip elsewhere. */
#define OPEN \
	"(?:(?:^|[,:;(\\x{2013}\\x{2014}])(?:[\\s*_#(-]|\\d+[.)])*|\\b(?:y|e|pero|entonces|además" \
	"|ademas|también|tambien|bueno|dale|che|ah|hola|listo|por favor|mejor|genial|perfecto" \
	"|gracias|yo|actualmente|ahora|and|but|so|also|then|please|ok|okay|well|hi|hello|hey|thanks" \
	"|great|now|currently|alright)[\\s,]+)\\K"

/* The same for an order: after a bare "and" somebody else may go on doing it. */
#define OPEN_ORDER \
	"(?:(?:^|[,:;(\\x{2013}\\x{2014}])(?:[\\s*_#(-]|\\d+[.)])*(?:(?:and|but|so|also|then" \
	"|please|ok" \
	"|okay|well|hi|hello|hey|thanks|great|alright)[\\s,]+)*)\\K"

/* Orders to an assistant: verbs of -ar with vos, tú and usted, of -er and -ir, irregular ones. */
#define AR_ES \
	"us|contest|explic|mostr|respet|revis|pregunt|agreg|coment|document|test|prob|formate|cit" \
	"|trat|llam|mand|envi|guard|verific|confirm|avis|nombr|cre|indent|dej|empez|termin|arranc" \
	"|tom|habl|coloc|list|marc|cont|orden|ejecut|valid|cerr|compil|consult|evit|redact|resalt" \
	"|actualiz|separ|present|adjunt|anot|cheque|analiz|calcul|tute|vose|compar|justific|complet" \
	"|aclar|fij|mir|busc|cambi|borr|publiqu|expliqu|agregu|busqu|empiec|modifiqu|modific|public" \
	"|toqu|toc|inventes|invent|asegur|consider|recomend|redonde|acort|ahorr|saltes?"
#define ER_ES \
	"respond|pon|hac|le|corr|escrib|dec|añad|inclu|resum|traduc|eleg|ped|segu|manten|ten|suger" \
	"|reduc|divid|defin|describ|comet|asum|met|romp|convert|permit|insist|hag|pong|dig|incluy" \
	"|pid|sig|mantenga?|supong|suba?|omit|sub|devolv|mov|resolv|volv|ofrec|protegh?|escog|recog" \
	"|deten|repet|distingu|inser|emit|decid"
#define CLITIC "(?:me|te|se|nos|lo|la|los|las|le|les){0,2}"
#define ORDER_ES \
	"(?:(?:(?:" AR_ES ")(?:[aá]|e)|(?:" ER_ES ")[eéií]|muestra|empieza|cuenta" \
	"|prueba|cierra|da|den?|pon|haz|di|incluye|elige|pide|sigue|mantén|sugiere|diga|haga|ponga" \
	"|explíca|muéstra|hábla|cuénta|lláma|escríbe|respónde|contésta|úsa|pón|ház|dí)" CLITIC "\\b" \
	"|(?!\\p{L}+rá\\b|(?:está|acá|allá|mamá|papá|quizá|ojalá)\\b)\\p{L}{2,}á\\b" \
	"|\\p{L}{2,}[aei]me\\b|(?:mir|compr|tir|mostr|compar|separ|borr|cerr|consider|gener|mejor" \
	"|integr|registr|estructur|ahorr|prepar|filtr|retir|import|export|explor|configur|asegur" \
	"|narr|numer|enter|declar|aclar)á\\b)"
/* The same as a wish or a ban: uses, hagas, escribas. */
#define WISH_ES \
	"(?:(?:me|te|lo|la|los|las|le|les|nos)\\s+){0,2}(?:(?:" AR_ES "|muestr|empiec|cuent|prueb" \
	"|cierr)es|(?:" ER_ES "|gener)[ae]s)\\b"
/* Own habits: first person present.  What one complains about is no habit to keep. */
#define HABIT_ES \
	"(?:(?:me|te|lo|la|los|las|le|les|nos)\\s+)?(?!(?:como|cuando|pero|solo|sólo|todo|mismo" \
	"|claro|bueno|algo|cierto|no|lo|llego|llegamos|olvido|olvidamos|pierdo|perdemos|equivoco" \
	"|confundo|termino|terminamos|acabo|acabamos|quiero|queremos|creo|pienso|digo|siento" \
	"|supongo|recuerdo|acuerdo|sueño|veo|encuentro|puedo|podemos|dudo|tardo|fallo|caigo|quedo" \
	"|sufro|espero|vamos|somos|estamos|tengo|tenemos|hago lo mismo|hacemos lo mismo" \
	"|mando cualquier|salgo|repito|vuelvo|volvemos|decimos|peleo|peleamos|rompo|enojo|río|lloro" \
	"|necesito)\\b)\\p{L}{2,}(?:o|amos|emos|imos)\\b"

#define ORDER_EN \
	"(?:use|write|answer|respond|reply|run|ask|include|add|put|keep|make|check|test|format" \
	"|explain|show|give|tell|call|start|end|prefer|avoid|commit|push|deploy|sign|cite|link" \
	"|quote|assume|round|convert|translate|comment|document|name|indent|sort|wrap|log|validate" \
	"|verify|confirm|review|read|look|try|send|save|list|summari[sz]e|be|say|speak|talk|treat" \
	"|consider|remember|warn|let|leave|follow|prefix|mention|attach|back|close|open|create" \
	"|generate|pin|lint|rebase|squash|suggest|provide|delete|remove|merge|rewrite|skip|stop|do" \
	"|apologi[sz]e|invent|guess|hardcode|force|install|update|change|edit|touch|spell" \
	"|double[- ]check|capitali[sz]e|escape|saniti[sz]e|encrypt|bold|highlight|number|count" \
	"|group|split|refer|reference|repeat|respect|measure|print|draw|plan|focus|prioriti[sz]e" \
	"|finish|begin|return|enable|disable|default|mock|profile|propose|recommend|offer|specify" \
	"|state|note|record|track|tag|label|separate|store|load|import|export|declare|define|handle" \
	"|raise|go|type|act|behave|be|describe|compare|break|order|address)\\b"
#define HABIT_EN \
	"(?!(?:get|gets|got|forget|forgot|end up|thought|think|wanted|want|see|saw|feel|felt|wonder" \
	"|lose|lost|knew|know|loved|say|said|had|have|was|were|am|are|wind|find|found|fail|failed" \
	"|miss|missed|seem|struggle|mess|mix|confuse|believed|believe|assumed|hoped|hope|wished" \
	"|wish|run (?:into|out)|come back|hear|heard|regret|screw|break|told|hated|liked|used to" \
	"|did|enjoy|look|try|do that|do this|could|can|need|suspect|ended" \
	"|went)\\b)(?!\\p{L}+ed\\b)\\p{L}{2,}\\b"

#define FROM_NOW_ES \
	"(?:a partir de (?:ahora|hoy|este momento)|desde (?:ahora|hoy)|de (?:ahora|aquí|aqui" \
	"|hoy) en (?:adelante|más|mas))\\b"
#define FROM_NOW_EN \
	"(?:from now on|from (?:here|today|this point) on(?: out|ward|wards)?|from here on out" \
	"|going forward|moving forward|start(?:ing)? (?:today|now))\\b"

/* Where one works, and not on what: a name, or a word for places of work. */
#define PLACE \
	"(?!(?:python|excel|java|javascript|typescript|c|rust|go|php|ruby|linux|windows|word" \
	"|photoshop|vim|emacs|vs ?code|node|react|sql|kotlin|swift|latex|figma|jupyter|mac(?:os)?" \
	"|css|html|esto|eso)\\b)(?=(?-i:(?:el |la |los |las |the )?\\p{Lu})" \
	"|(?:[^\\s,;]+ ){0,3}(?:fintech|cooperativa|estudio|nonprofit|charity|cafe|bakery|shop" \
	"|empresas?|compañía|startup|banco|banca|hospital|consultora|agencia|ministerio|universidad" \
	"|facultad|escuela|colegio|fábrica|salud|marketing|ventas|sistemas|finanzas|educación" \
	"|seguros|logística|ong|municipalidad|gobierno|clínica|restaurante?|fábrica|laboratorio" \
	"|medios|retail|sector|industria|equipo|company|startup|bank|hospital|agency|ministry" \
	"|university|school|factory|health ?care|insurance|logistics|finance|education|government" \
	"|industry|team|consultancy|lab|firm|sales|research|biotech|edtech|gaming|publishing" \
	"|construction|hospitality)\\b)"

/* One to three words that are told of, without an article, and what they do: "rent costs 900". */
#define TOLD_EN \
	"(?!(?:ones?|times?|day|night|evening|morning|week|weekend|summer|winter|year|moment|scene" \
	"|feeling|guy|man|woman|girl|boy|kid|person|thing|stuff|song|movie|film|show|episode|book" \
	"|story|joke|trip|place|part|bit|way|idea|line|question|conversation|discussion|talk|quote" \
	"|old|weird|funny|silly|crazy|whole|particular|very|other|same|last|first|little|awful" \
	"|great|nice|stupid|damn)\\b)" \
	"(?:(?!(?:I|you|we|he|she|it|they|who|whom|whose|which|that|where|when|why|how|what|if" \
	"|because|than|from|in|on|of|at|about|with|for|to|by|as|was|were|had|did|got|said|told" \
	"|went|came|made)\\b)[\\p{L}\\d][\\p{L}\\d-]* ){1,3}"
#define TELLS_EN \
	"(?:(?:(?:is|are|has|have|does|do|should|must)(?:n" APOS "t)?|will|won" APOS "t|can" \
	"|can" APOS "t|cannot|may|might|shall|needs|costs|runs|uses|starts|ends|begins|opens" \
	"|closes|takes|lives|works|comes|goes|stands|stays|means|matters|depends|happens|keeps" \
	"|holds|contains|includes|requires|expires|arrives|leaves|belongs|points|listens|returns" \
	"|fails|breaks|deploys|changes|lasts|moves|rises|sleeps|stops|ships)\\b" \
	"|(?-i:\\p{Ll}{2,}[^\\Wsui_]s)(?<!\\bseries|\\bnews|\\balways|\\blens|\\bperhaps) " \
	"(?:an?|the|me|us|my|our|his|her|their|its|to|too|only|no|not|nothing|every|everything" \
	"|each|all|better|best|more|less|well|twice|up|down|off|early|late|daily|before|after" \
	"|until|under|\\d+)\\b)"

/* What follows "remember that" when "that" is no pointer ("that scene"), and not told to us. */
#define CLAUSE_EN \
	"(?!you\\b|(?:I|we) (?:told|said|asked|mentioned|wrote|already)\\b)(?=(?:I|we|my|our|he|she" \
	"|it|they|his|her|their|the|an?|there|these|all|any|each|every|no|some|most|both|only|for" \
	"|in|on|when|if|after|before|by|at|from|with|during|until|people|children|everyone" \
	"|everything|everybody|nobody|nothing|no one|always|never|today|tomorrow|this|using)\\b" \
	"|(?-i:\\p{Lu})|\\p{L}+s\\b|[^\\p{L}]|" TOLD_EN TELLS_EN ")"

#define NO_MORE_ES \
	"(?:trabajo|trabajamos|uso|usamos|vivo|vivimos|prefiero|preferimos|tomo|tomamos|como" \
	"|comemos|fumo|bebo|soy|somos|estudio|colaboro|manejo|juego|programo|hago|hacemos|compro" \
	"|compramos|pago|pagamos)\\b"
#define NO_MORE_EN \
	"(?:work|use|live|prefer|eat|drink|smoke|drive|deploy|support|own|play|study|like|teach" \
	"|maintain)\\b"

#define US_EN "(?:I|we)"

#define WORK_ES "(?:trabajo|(?:empecé|empece|entré|entre) a trabajar|dejé de trabajar" \
	"|deje de trabajar)"
#define WORK_EN "I (?:(?:currently |now |also )?work|(?:have )?(?:started|stopped) working)"

/* What is liked or hated: a thing that has a name, and not what happens just now. */
#define THING_ES \
	"(?!(?:eso|esto|esa|este|esta|ese|aquello|algo|todo|nada|mucho|muchísimo|más|bastante|tanto" \
	"|cuando|cómo|como|donde|saber|ver|verte|decir|decirte|pensar|leer|tu|tus|su|sus|lo|la idea" \
	"|el resultado|que (?:pase|esté|estén|te|le|haya|hayas|sea|sean|lo|la|se|vos|no)" \
	"|(?:el|la|los|las) (?:otr[oa]s?|primer[oa]?|segund[oa]|últim[oa]|que|de arriba" \
	"|de abajo))\\b)" \
	"(?=\\p{L}|\\x1A)"
#define THING_EN \
	"(?!(?:it|this|that|these|those|them|him|her|you|your|how|what|where|when|who|to|the way" \
	"|the (?:idea|sound|look|other|first|second|last|new|one|result|rest)|not|being|seeing" \
	"|hearing" \
	"|having|doing|all|both|some|one|a lot|mine|his|its|my(?:self)?|our|i|we|he|she|and|but" \
	"|or)\\b)" \
	"(?=\\p{L}|\\x1A)"
/* A place with a name: "en Córdoba", not "en paz". */
#define TOWN "(?=(?-i:(?:el |la |los |las |the |Los |Las |La |El )?\\p{Lu}\\p{L}))"

const struct signal_rule signal_rules[] = {
	/* ---- remember */
	{ "remember", "es", "cord|cuerd|acu",
	  OPEN "(?:(?:quiero|necesito) que (?:te acuerdes|recuerdes)|record[aá]|recuerd[ae]"
	  "|acord[aá]te|acu[eé]rdate)(?:,? por favor,?| siempre| bien| también)?"
	  "(?:(?: de)? que\\s+|(?: esto)?\\s*:\\s*)()(?!(?:te|eres|sos|pod[eé]s|puedes|ten[eé]s"
	  "|tienes)\\b)",
	  "personal", DOMAIN_WORDS, false },
	{ "keep in mind", "es", "cuenta|olvid|anot|apunt|nota",
	  OPEN "(?:ten(?:[eé]|ga)? en cuenta|no (?:te )?olvides(?: de)?|que no se te olvide"
	  "|anot[aá]|apunt[aá]|tom[aá] nota(?: de)?)(?: que\\s+|(?: esto)?\\s*:\\s*)()",
	  "personal", DOMAIN_WORDS, false },
	{ "remember", "en", "rememb",
	  OPEN "(?:I (?:want|need) you to )?remember(?:,? please,?)?(?: that\\s+|\\s+(?=(?:I|my"
	  "|our|we)\\b)|(?: this)?\\s*:\\s*| to (?=always|never))()" CLAUSE_EN,
	  "personal", DOMAIN_WORDS, false },
	{ "note that", "en", "note|mind|forget",
	  OPEN "(?:(?:make a |take )?note|(?:keep|bear) in mind|(?:don" APOS "t|do not) forget)"
	  "(?: that\\s+|\\s+(?=(?:I|my|our|we)\\b)|(?: this)?\\s*:\\s*)()(?!(?:this|these|those|it"
	  "|here|there|I(?:" APOS "ve)? (?:already"
	  "|tried|also|did)|we(?:" APOS "ve)? (?:already|tried|did)|the [^,]{0,30}\\b(?:above"
	  "|below|following))\\b)" CLAUSE_EN,
	  "personal", DOMAIN_WORDS, false },
	/* ---- always, never */
	{ "always, an order", "es", "siempre",
	  OPEN "()siempre (?:que " WISH_ES "|" ORDER_ES "(?! (?:mal|lento|tarde|igual|lo mismo)\\b))",
	  "preferences", DOMAIN_FIXED, true },
	{ "order, always", "es", "siempre", OPEN "()" ORDER_ES " siempre\\b",
	  "preferences", DOMAIN_FIXED, true },
	{ "always, a wish", "es", "siempre",
	  OPEN "(?:quiero|necesito|me gustaría) que ()siempre " WISH_ES,
	  "preferences", DOMAIN_FIXED, true },
	{ "always, a habit", "es", "siempre", OPEN "()(?:(?<!\\p{L})yo )?siempre " HABIT_ES
	  "(?!.*\\b(?:pero|aunque|y (?:a veces|nunca|no|nadie|igual|luego|después|me|nunca))\\b)",
	  "preferences", DOMAIN_FIXED, false },
	{ "never", "es", "nunca|jam", OPEN "()(?:nunca|jam[aá]s) (?!digas nunca)" WISH_ES,
	  "preferences", DOMAIN_FIXED, true },
	{ "always, never", "en", "always|never",
	  OPEN_ORDER "(?:please |(?:you (?:should|must)|make sure (?:to|you)|be sure to|try to"
	  "|I want you to|I" APOS "d like you to) )?()(?:always|never) (?!(?:mind|give up"
	  "|say never|say die|look back|open (?:for|to)|be (?:afraid|proud|happy|grateful|kind"
	  "|yourself|there|\\p{L}+ing))\\b)" ORDER_EN,
	  "preferences", DOMAIN_FIXED, true },
	{ "order, always", "en", "always", OPEN "(" ORDER_EN "[^,;:]{1,120}? always)\\W*$",
	  "preferences", DOMAIN_FIXED, true },
	{ "always, a habit", "en", "always", OPEN "()" US_EN " always " HABIT_EN
	  "(?!.*\\b(?:but|and (?:it|then|still|sometimes|never|nobody|no one|get))\\b)",
	  "preferences", DOMAIN_FIXED, false },
	/* ---- decided */
	{ "decided", "es", "decid",
	  "\\b(?:(?:me|nos) )?(?:he |hemos )?(?:decid[ií]|decidimos|(?<=he )decidido"
	  "|(?<=hemos )decidido)"
	  "\\b(?:,? (?:hoy|ayer|anoche|al final|finalmente|ya)\\b)?[,:]?\\s+(?:que\\s+)?()"
	  "(?!(?:(?-i:[A-Z])[.)]|(?:vos|tú|usted|cu[aá]l|qué|que hacer|si|mal|bien|algo|nada"
	  "|eso|esto|entre"
	  "|quién|apurad[oa]|hoy|ayer|en su momento|rápido|así|ser millonari[oa]"
	  "|(?:ir(?:me|nos)? a |acostar(?:me|nos)|)(?:dormir|comer|almorzar|cenar|desayunar|descansar"
	  "|la cama)|acostar(?:me|nos)|tomar(?:me|nos)? un)\\b))",
	  "decisions", DOMAIN_FIXED, false },
	{ "it is decided", "es", "decidid",
	  OPEN "(?:(?:ya )?(?:queda|est[aá]) decidido que\\s+|(?:(?:ya )?(?:queda"
	  "|est[aá]) )?decidido\\s*:\\s*)()",
	  "decisions", DOMAIN_FIXED, false },
	{ "decision", "es", "decisi|opt",
	  "\\b(?:(?:tomé|tomamos|hemos tomado|he tomado) (?:la|una) decisi[oó]n(?: de(?: que)?|\\s*:)"
	  "|(?:opté|optamos|hemos optado|he optado) por)\\s+()",
	  "decisions", DOMAIN_FIXED, false },
	{ "decided", "en", "decided",
	  "\\b" US_EN "(?:" APOS "ve| have)?(?: (?:finally|just|already|also|both|all|now"
	  "|recently))? decided\\b"
	  "(?: (?:yesterday|today|tonight|last (?:night|week|month)|together|recently|this morning))?"
	  "(?: (?:to|on|that|upon))?+[:,]?\\s+()"
	  "(?!(?:wrong|badly|nothing|something|anything|too|it|this|quickly|wisely|when|if|whether"
	  "|(?:take|have|grab) (?:a|an|some|lunch|dinner|breakfast)|go (?:to (?:bed|sleep)|for a)"
	  "|sleep|nap|eat|show you|share|tell you|wait|spend (?:\\p{L}+ )?time|hang out|relax"
	  "|challenge myself|(?:give|try) (?:it|this|that)|check (?:it|this) out"
	  "|.*\\bbut then)\\b)",
	  "decisions", DOMAIN_FIXED, false },
	{ "decision", "en", "decided|decision",
	  "(?:" OPEN "(?:it" APOS "s|it is) decided(?: that\\s+|\\s*:\\s*)"
	  "|\\b" US_EN "(?:" APOS "ve| have)? (?:made|taken) (?:the|a) decision(?: to\\s+"
	  "|\\s*:\\s*))()",
	  "decisions", DOMAIN_FIXED, false },
	/* ---- from now on */
	{ "from now on", "es", "ahora|hoy|este momento|en adelante|aqu",
	  OPEN "(?:(?:quiero|me gustaría|necesito|te pido|(?:te |les )?(?:aviso|cuento"
	  "|confirmo)) que )?" FROM_NOW_ES
	  "(?: en adelante)?[,:]?\\s+()(?!(?:hasta|mismo|te (?:digo|aviso|advierto|agradezco)|gracias"
	  "|muchas gracias)\\b)",
	  "preferences", DOMAIN_STYLE, false },
	{ "order, from now on", "es", "ahora|hoy|este momento|aqu",
	  OPEN "((?:no )?(?:" WISH_ES "|" ORDER_ES ")[^,;:]{0,160}?),? " FROM_NOW_ES "\\W*$",
	  "preferences", DOMAIN_FIXED, true },
	{ "from now on", "en", "now|forward|today|here|point",
	  OPEN FROM_NOW_EN "[,:]?\\s+()(?!(?:with|until|to|till|is|was|are|seems|becomes|means)\\b"
	  "|.{0,20}\\bdo my best\\b)",
	  "preferences", DOMAIN_STYLE, false },
	{ "order, from now on", "en", "now|forward|today|here|point",
	  OPEN "((?:please |don" APOS "t |do not |never |always |let" APOS "s )*" ORDER_EN
	  "[^,;:]{0,160}?),? " FROM_NOW_EN "\\W*$",
	  "preferences", DOMAIN_FIXED, true },
	/* ---- prefer */
	{ "prefer", "es", "prefi|prefe",
	  "()\\b(?:prefiero|preferimos|preferiría(?:mos)?)\\s+()"
	  "(?!(?:no (?:hablar|decir|contestar|responder|saber|opinar|pensar)|ning|nada|mal"
	  "|morir)\\p{L}*\\b)",
	  "preferences", DOMAIN_FIXED, false },
	{ "prefer", "en", "prefer",
	  "()\\b" US_EN "(?:" APOS "d| would)?(?: (?:much|really|generally|usually|strongly"
	  "|personally|still"
	  "|definitely|also|both|all))? prefer\\s+()(?!not (?:to )?(?:say|answer|discuss|talk"
	  "|comment|know|think|get into)\\b|not(?: to)?\\W*$"
	  "|(?:nothing|neither|no one)\\b)",
	  "preferences", DOMAIN_FIXED, false },
	{ "would rather", "en", "rather",
	  "()\\b" US_EN "(?:" APOS "d| would) (?:much )?rather\\s+()(?!(?:not|die|wait|be dead"
	  "|be \\p{L}+ing)\\b)",
	  "preferences", DOMAIN_FIXED, false },
	/* ---- work, name */
	{ "work at", "es", "trabaj", OPEN "()" WORK_ES " (?:en|para)\\s+" PLACE,
	  "work", DOMAIN_FIXED, false },
	{ "work at", "en", "work",
	  OPEN "()" WORK_EN " (?:at|for)\\s+(?!(?:night|home|hours|days|weeks|free"
	  "|fun|money|it|this|that|them|him|her|least|best|once|present|the (?:moment|weekend)"
	  "|a living"
	  "|times|noon|my (?:desk|pace|best)|full|half|long|\\d+|ages|months|food)\\b)",
	  "work", DOMAIN_FIXED, false },
	{ "work in", "en", "work", OPEN "()I (?:currently |now |also )?work in\\s+" PLACE,
	  "work", DOMAIN_FIXED, false },
	{ "name", "es", "llamo|nombre",
	  OPEN "()(?:me llamo|mi nombre es)\\s+(?!(?:mi|el|la|los|un|una|al|por|ayer|hoy|para|a"
	  "|muy|tu|su|igual|como|mucho|con|que|difícil|largo|común)\\b)",
	  "personal", DOMAIN_FIXED, false },
	{ "name", "en", "name|called",
	  OPEN "()(?:my name(?:" APOS "s| is)|I" APOS "m called|I am called)\\s+(?!(?:not|on|in"
	  "|undefined|missing|spelled|misspell?ed|wrong|the|a|an|listed|too|also|never|always|to|by|at"
	  "|hard|only|still|shown|displayed|mud|here|there)\\b)",
	  "personal", DOMAIN_FIXED, false },
	/* ---- home, age, birthday, health */
	{ "live in", "es", "viv",
	  OPEN "()(?:yo )?(?:vivo|vivimos) en\\s+" TOWN, "personal", DOMAIN_FIXED, false },
	{ "live in", "en", "live",
	  OPEN "()(?:I|we) (?:currently |now )?live in\\s+" TOWN, "personal", DOMAIN_FIXED, false },
	{ "moved to", "es", "mud",
	  OPEN "()(?:me mudé|me mude|nos mudamos) a\\s+" TOWN, "personal", DOMAIN_FIXED, false },
	{ "moved to", "en", "moved",
	  OPEN "()(?:I|we)(?:" APOS "ve| have)? (?:just |recently )?moved to\\s+" TOWN,
	  "personal", DOMAIN_FIXED, false },
	{ "age", "es", "tengo", OPEN "()(?:yo )?tengo \\d{1,3} años(?=\\W*$)",
	  "personal", DOMAIN_FIXED, false },
	{ "age", "en", "years", OPEN "()I(?:" APOS "m| am) \\d{1,3} years old(?=\\W*$)",
	  "personal", DOMAIN_FIXED, false },
	{ "birthday", "es", "cumple",
	  OPEN "()mi cumple(?:años)? es (?:el|en) (?=\\d|enero|febrero|marzo|abril|mayo|junio|julio"
	  "|agosto|septiembre|setiembre|octubre|noviembre|diciembre)",
	  "personal", DOMAIN_FIXED, false },
	{ "birthday", "en", "birthday",
	  OPEN "()my birthday(?:" APOS "s| is) (?:on |in )?(?:the )?(?=\\d|(?:jan|feb|mar|apr|may"
	  "|jun|jul|aug|sep|oct|nov|dec)\\p{L}*\\b)",
	  "personal", DOMAIN_FIXED, false },
	{ "health", "es", "soy",
	  OPEN "()(?:yo )?(?:(?:ya )?no )?soy (?:al[eé]rgic[oa] a(?:l| la| los| las)?\\s+(?!(?:todo|eso"
	  "|esto|las reuniones)\\b)|(?:vegetarian[oa]|vegan[oa]|cel[ií]ac[oa]|diab[eé]tic[oa]"
	  "|asm[aá]tic[oa]|dalt[oó]nic[oa]|zurd[oa]|intolerante a)\\b)",
	  "personal", DOMAIN_FIXED, false },
	{ "health", "en", "allerg|vegetarian|vegan|celiac|coeliac|diabetic|asthmatic|blind"
	"|handed|tolerant",
	  OPEN "()I(?:" APOS "m| am) (?:not )?(?:allergic to (?!(?:this|that|it|everything"
	  "|meetings)\\b)"
	  "|(?:an? )?(?:vegetarian|vegan|coeliac|celiac|diabetic|asthmatic|colou?r[- ]blind"
	  "|left-handed|lactose intolerant)\\b)",
	  "personal", DOMAIN_FIXED, false },
	/* ---- what one likes */
	{ "like", "es", "gusta|encanta|molesta",
	  OPEN "()(?:(?:a mí )?(?:no |ya no )?(?:me|nos) (?:gusta|encanta|molesta)n?"
	  "(?: mucho)?)\\s+" THING_ES, "preferences", DOMAIN_FIXED, false },
	{ "hate", "es", "odi|detest", OPEN "()(?:odio|detesto)\\s+" THING_ES,
	  "preferences", DOMAIN_FIXED, false },
	{ "like", "en", "like|stand",
	  OPEN "()I (?:(?:really |do )?like|(?:don" APOS "t|do not) (?:really )?like"
	  "|(?:can" APOS "t|cannot) stand)\\s+" THING_EN, "preferences", DOMAIN_FIXED, false },
	{ "hate", "en", "hate|dislike", OPEN "()I (?:really )?(?:hate|dislike)\\s+" THING_EN,
	  "preferences", DOMAIN_FIXED, false },
	{ "wish for good", "es", "quiero",
	  OPEN "()quiero que (?:(?:me |no me |no )?(?:tutees|vosees|hables|trates)\\b"
	  "|(?:me )?\\p{L}{2,}[ae]s siempre\\b)", "preferences", DOMAIN_FIXED, false },
	/* ---- what takes the place of what */
	{ "replaces", "es", "reemplaza|sustituye",
	  "(?:^|[:,]\\s*|que\\s+)\\K()(?-i:\\p{Lu})\\S*(?: (?-i:\\p{Lu})\\S*){0,2} "
	  "(?:reemplaza|sustituye) a (?=(?-i:\\p{Lu}))", "decisions", DOMAIN_FIXED, false },
	{ "replaces", "en", "replaces",
	  "(?:^|[:,]\\s*|that\\s+)\\K()(?!(?:This|That|It|He|She)\\b)(?-i:\\p{Lu})\\S*"
	  "(?: (?-i:\\p{Lu})\\S*){0,2} replaces (?=(?-i:\\p{Lu}))",
	  "decisions", DOMAIN_FIXED, false },
	/* ---- no longer */
	{ "no longer", "es", "ya no", OPEN "()ya no " NO_MORE_ES "(?! nada\\b| más\\W*$)",
	  "preferences", DOMAIN_WORDS, false },
	{ "no longer", "en", "no longer", OPEN "()" US_EN " no longer " NO_MORE_EN,
	  "preferences", DOMAIN_WORDS, false },
	{ "not anymore", "en", "more",
	  OPEN "()" US_EN " (?:don" APOS "t|do not) " NO_MORE_EN "[^,;:]{0,80}? any ?more\\b",
	  "preferences", DOMAIN_WORDS, false },
};

const size_t signal_rule_count = sizeof signal_rules / sizeof signal_rules[0];

const char *const signal_guards[GUARD_COUNT] = {
	[GUARD_SENTENCE] =
		"\\b(?:ja){2,}\\p{L}*|\\b(?:ha){2,}h?\\b|\\b(?:lol|lmao|rofl|xd+)\\b|\\x{1F644}|\\x{1F643}"
		"|\\boh,? (?:sure|great|yeah|right)\\b|\\byeah,? (?:right|sure)\\b|\\bs[ií],? claro\\b"
		"|\\bgreat idea\\b|\\b(?:he|she|they) (?:said|says?)\\W*$"
		"|, (?:dijo|dice|gritó|pensó|said|says|they say)\\b|(?:^|\\s)/s\\b"
		"|^\\W*(?:(?:and|so|but|y|pero|entonces)\\s+)?(?:(?:why|how|what|which|who|whose|where)\\b"
		"|(?:do|did|does|have|has|can|could|would|will|should|shall|am|are|is)\\s+"
		"(?:i|we|you|they|he|she|it)\\b|(?:por qu[eé]|qué|cuál(?:es)?|cómo|qui[eé]n|dónde"
		"|cuándo|cuánto)\\b|te acord[aá]s\\b|(?:pod[eé]s|puedes"
		"|podrías|sab[eé]s)\\b)",
	[GUARD_LEFT] =
		"\\b(?:si|if|unless|whether|salvo que|a menos que|en caso|a veces|sometimes"
		"|en ese momento|at that (?:point|time)|por si|in case|ojal[aá]"
		"|imagin\\p{L}+|sup[oó]n(?:\\p{L}*)|suppos\\p{L}+|hypothetical\\p{L}*"
		"|hipot[eé]tic\\p{L}+|quiz[aá]s?|tal vez|a lo mejor|capaz|maybe|perhaps|probably"
		"|probablemente|creo que|pienso que|I (?:think|guess|believe)|let" APOS "s say|digamos"
		"|pretend|wish|as though|ser[ií]a)\\b"
		"|\\b(?:dij\\p{L}+|dicen?|dec[ií]a\\p{L}*|said|says|saying|(?:docs?|manuals?|they"
		"|people|books?|rules?|guides?) say|told|tells|asked|asks|wrote|writes"
		"|pregunt(?:ó|aron|an)|respondió|contestó|gritó|escribió"
		"|puso|comentó|claim\\p{L}*|according to|seg[uú]n|reads|thinks?|heard|quote[sd]?"
		"|piensan?|creen?|diga|phrase|frase|sentence|palabras?|words?)\\b"
		"|\\b(?:traduc\\p{L}+|translat\\p{L}+|proofread|re(?:write|phrase)|correg\\p{L}+"
		"|corrig\\p{L}+|(?:un|el|del|este|al) cuento|cuentos|poemas?|canci[oó]n|novela"
		"|protagonista"
		"|stor(?:y|ies)|poems?|songs?|novel|lyrics"
		"|empie(?:ce|za) con|beg(?:i|a)ns? with|starts? with|titled|consigna|enunciado"
		"|ejercicio|exercise|premise|riddle|puzzle)\\b"
		"|\\b(?:qué|cuál(?:es)?|cómo|dónde|quién(?:es)?|por qué"
		"|why|how|what|which|where|who|no s[eé]|not sure|no (?:me acuerdo|recuerdo))\\b"
		"|n" APOS "t (?:know|remember|recall)\\b"
		"|(?:\\b(?:no|nunca|jam[aá]s|tampoco|ni|never|not|without|sin)|n" APOS "t)\\s+"
		"(?:(?:lo|la|me|nos|se|te|yo|siempre|todavía|aún|always|yet)\\s+)*$"
		"|\\b(?:como|as|lo que|el que|la que|los que|las que|than|since|after|before|until"
		"|hasta que|desde que|antes de que"
		"|despu[eé]s de que|por (?:la|el) que|the one|thing)(?: that)?\\s*$"
		"|(?<!\\bin|\\bat|\\bon|after|during|\\bfor) the (?!choice|chance|end"
		"|past)\\p{L}+(?: that)?\\s*$|^the \\p{L}+(?: that)?\\s*$"
		"|\\b(?:write|draft|compose|redact\\p{L}+|escrib\\p{L}+)\\b[^:]*:\\s*$|\\bthat\\s*$"
		"|(?<!cuento|aviso|confirmo|resulta|verdad|verdad es|así|sepas|digo|pasa es)\\sque\\s*$"
		"|^\\W*(?:because|since|como|porque|dado que|given that)\\b|(?<!you )\\bknows?\\b"
		"|\\bsaben?\\b"
		"|\\b(?:forget|olvid\\p{L}+|back then|years ago|(?:in|en) (?:19|20)\\d\\d|de chic[oa]"
		"|hace \\p{L}+ años)\\b",
	[GUARD_WHEN] = "\\b(?:cuando|when|whenever|while|mientras|once|una vez que)\\b",
	[GUARD_EMPTY] =
		"^\\W*(?:to )?\\p{L}+ (?:this|these|those|it|them|esto|eso|est[ae]|es[ae]|est[oa]s"
		"|es[oa]s)\\b"
		"|^\\W*(?:eso|esto|esa|ese|esta|este|as[ií]|that|this|it|them|those|both|either"
		"|none|neither"
		"|todo|all|lo (?:otro|mismo|primero|segundo)|la misma|the same|(?:el|la|las|los|the)"
		" (?:otr[oa]s?|primer[oa]?|segund[oa]|tercer[oa]?|[uú]ltim[oa]|other|first|second"
		"|third|last|latter|former)(?: (?:opci[oó]n|option|one|way|forma|alternativa|versi[oó]n))?"
		"|vos|t[uú]|mal|bien|basta|(?:que )?(?:no|s[ií])|\\p{L}+r yo)\\W*$"
		"|\\bchanged (?:my|our) minds?\\W*$|\\bcambi(?:é|amos) de (?:idea|opini[oó]n)\\W*$",
	[GUARD_DAY] =
		"(?<!desde )\\bhoy\\b|(?<!\\bla |cada |las )\\bmañana\\b|\\best[ae] (?:tarde|noche"
		"|mañana|semana"
		"|finde)\\b|\\bayer\\b|\\b(?:que viene|próxim[oa])\\b|\\bdentro de (?:un|\\d+)\\b"
		"|\\ben \\d+ (?:minutos"
		"|horas|días)\\b"
		"|\\b(?:today|tonight|tomorrow|yesterday)\\b|\\bthis (?:morning|afternoon|evening"
		"|week(?:end)?)\\b"
		"|\\bnext (?:week(?:end)?|month|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\\b"
		"|\\bin (?:\\d+|a few|an|two) (?:minutes|hours?|days)\\b",
	[GUARD_MATERIAL] =
		"\\b(?:tradu[cz]\\p{L}+|translat\\p{L}+|proofread|re(?:write|phrase)|correg\\p{L}+"
		"|corrig\\p{L}+|resum\\p{L}+|summari[sz]\\p{L}+|reescrib\\p{L}+|mejor[aá]|improve|edit"
		"|fix (?:this|the)"
		"|analy[sz]e|analiz\\p{L}+|dij\\p{L}+|dice|said|says|wrote|escribió|text|texto"
		"|letra|lyrics"
		"|p[aá]rrafo|paragraph|email|e-mail|mail|correo|transcript|chat|log)\\b.*:\\W*$",
	[GUARD_ADDS] = "\\b(?:tambi[eé]n|adem[aá]s|also|too|as well|besides)\\b",
	[GUARD_NEGATES] =
		"\\bya no\\b|\\bno longer\\b|\\bany ?more\\b|^\\W*(?:yo )?dej(?:é|amos) de\\b"
		"|^\\W*" US_EN " (?:have )?(?:stopped|quit)\\b",
};
