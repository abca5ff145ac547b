/* SPDX-License-Identifier: MIT */
/* Words that say little: function words and small talk of both languages, in order of bytes. */
#include "store/policy/stop_words.h"

#include <string.h>

#include "store/policy/policy.h"

static const char *const words[] = {
	"a", "about", "above", "absolutely", "actually", "acuerdo", "ademas", "after", "again",
	"ago", "agree", "ahi", "ahora", "al", "alegra", "algo", "alguien", "algun", "alguna",
	"algunas", "alguno", "algunos", "all", "alla", "alli", "also", "always", "am", "amazing",
	"an", "and", "ante", "antes", "any", "anything", "anyway", "appreciate", "aqui", "are",
	"arent", "around", "as", "asi", "at", "aun", "aunque", "awesome", "ayer", "ayuda", "ayudar",
	"back", "bajo", "bastante", "be", "beautiful", "because", "been", "before", "being",
	"believe", "below", "best", "better", "between", "bien", "big", "both", "bring", "brings",
	"buena", "buenas", "buenisima", "buenisimo", "bueno", "buenos", "but", "by", "bye", "cada",
	"can", "cannot", "cant", "casi", "chat", "cierto", "claro", "come", "comes", "como", "con",
	"congrats", "contame", "contra", "cool", "cosa", "cosas", "could", "couldnt", "creo", "cual",
	"cuales", "cualquier", "cuando", "cuanto", "cuantos", "cuenta", "cuentame", "da", "dale",
	"day", "days", "de", "decide", "decided", "decidi", "decidimos", "decidir", "decime",
	"decir", "decision", "definitely", "del", "desde", "despues", "dia", "dias", "dice", "did",
	"didnt", "different", "dime", "disculpa", "do", "does", "doesnt", "doing", "donde", "done",
	"dont", "dos", "down", "durante", "during", "e", "each", "el", "ella", "ellas", "ellos",
	"else", "en", "encanta", "encantan", "entonces", "entre", "era", "eran", "eras", "eres",
	"es", "esa", "esas", "ese", "eso", "esos", "especially", "espero", "esta", "estaba",
	"estaban", "estamos", "estan", "estar", "estas", "este", "esto", "estos", "estoy", "even",
	"ever", "every", "everyone", "everything", "exactamente", "exactly", "exacto", "excited",
	"exciting", "falta", "faltan", "fantastic", "favor", "feel", "feeling", "feliz", "felt",
	"few", "find", "for", "found", "from", "fue", "fueron", "fui", "fun", "further", "genial",
	"get", "gets", "getting", "give", "gives", "glad", "go", "goes", "going", "gonna", "good",
	"got", "gracias", "gran", "grande", "great", "guess", "gusta", "gustan", "gustaria", "ha",
	"haber", "habia", "habian", "hace", "hacen", "hacer", "hacia", "had", "hago", "han",
	"happened", "happy", "hard", "has", "hasnt", "hasta", "have", "havent", "having", "hay",
	"he", "hear", "hello", "help", "her", "here", "heres", "hers", "herself", "hes", "hey", "hi",
	"him", "himself", "his", "hola", "hope", "how", "hows", "hoy", "i", "id", "idea", "if",
	"igual", "ill", "im", "in", "incluso", "incredible", "increible", "interesante",
	"interesting", "into", "ir", "is", "isnt", "it", "its", "itself", "ive", "jamas", "just",
	"keep", "kind", "know", "la", "lado", "las", "last", "lately", "le", "les", "let", "lets",
	"like", "linda", "lindo", "listo", "little", "lo", "look", "looking", "looks", "los", "lot",
	"lots", "love", "lovely", "luego", "made", "make", "makes", "making", "many", "mas", "may",
	"maybe", "me", "mean", "means", "mejor", "mejores", "menos", "mi", "mia", "mientras",
	"might", "mio", "mira", "mire", "mis", "misma", "mismo", "more", "most", "much", "mucha",
	"muchas", "mucho", "muchos", "must", "muy", "my", "myself", "nada", "nadie", "need", "never",
	"new", "next", "ni", "nice", "ningun", "ninguna", "no", "nope", "nor", "nos", "nosotros",
	"not", "now", "nuestra", "nuestras", "nuestro", "nuestros", "nunca", "o", "obvio", "of",
	"off", "oh", "ok", "okay", "on", "once", "one", "only", "or", "os", "other", "otra", "otras",
	"otro", "otros", "our", "ours", "out", "over", "own", "para", "parece", "part", "parte",
	"peor", "perdon", "perfecto", "pero", "pienso", "place", "please", "plus", "poco", "podemos",
	"poder", "podes", "podria", "por", "porque", "preparar", "pretty", "pronto", "puede",
	"pueden", "puedo", "pues", "put", "que", "queda", "quedaron", "quedo", "quien", "quienes",
	"quiere", "quiero", "quisiera", "quite", "quizas", "rather", "rato", "real", "really",
	"recien", "right", "saber", "sabes", "sabia", "said", "same", "say", "says", "se", "sea",
	"see", "seeing", "seguro", "ser", "she", "shes", "should", "shouldnt", "si", "sido",
	"siempre", "sin", "since", "sino", "so", "sobre", "sois", "solo", "some", "something",
	"somos", "son", "soon", "sorry", "sounds", "soy", "stay", "still", "stuff", "su", "such",
	"suena", "super", "supuesto", "sure", "sus", "suya", "take", "taking", "tal", "talk",
	"tambien", "tampoco", "tan", "tanto", "te", "tell", "tenemos", "tener", "tenes", "tengo",
	"than", "thank", "thanks", "that", "thats", "the", "their", "them", "then", "there",
	"theres", "these", "they", "theyre", "theyve", "thing", "things", "think", "this", "those",
	"though", "through", "ti", "tiene", "tienen", "tienes", "time", "times", "tipo", "to",
	"toda", "todas", "todavia", "today", "todo", "todos", "too", "took", "total", "totally",
	"totalmente", "tough", "tried", "try", "trying", "tu", "tus", "tuve", "tuyo", "u", "un",
	"una", "unas", "under", "uno", "unos", "until", "up", "us", "use", "used", "usted",
	"ustedes", "va", "vale", "vamos", "van", "vas", "veces", "ver", "verdad", "very", "vez",
	"viste", "vos", "voy", "wait", "want", "wanted", "wants", "was", "wasnt", "way", "we", "wed",
	"welcome", "well", "went", "were", "werent", "weve", "what", "whats", "when", "where",
	"which", "while", "who", "whom", "why", "will", "wish", "with", "wonderful", "wont", "worth",
	"would", "wouldnt", "wow", "y", "ya", "yeah", "yep", "yes", "yet", "yo", "you", "youd",
	"youll", "your", "youre", "yours", "yourself", "youve",
};
enum { WORDS = sizeof words / sizeof words[0] };

static int compare(const char *word, size_t len, const char *with)
{
	int is = strncmp(word, with, len);
	return is ? is : with[len] ? -1 : 0;
}

bool policy_stop_word(const char *word, size_t len)
{
	size_t from = 0, to = WORDS;
	while (from < to) {
		size_t mid = from + (to - from) / 2;
		int is = compare(word, len, words[mid]);
		if (is == 0)
			return true;
		if (is < 0)
			to = mid;
		else
			from = mid + 1;
	}
	return len == 0;
}

bool stop_words_sorted(void)
{
	for (size_t i = 1; i < WORDS; i++)
		if (strcmp(words[i - 1], words[i]) >= 0)
			return false;
	return true;
}
