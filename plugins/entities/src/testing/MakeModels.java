// Makes the models of the tests and records the results of OpenNLP 2.4.0 for texts that are not in the training data.
// Run it in this folder, with opennlp-tools and slf4j-api on the class path: java -cp … MakeModels.java
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.regex.*;
import opennlp.tools.namefind.*;
import opennlp.tools.tokenize.*;
import opennlp.tools.util.*;

public class MakeModels {
  static final String[] FIRST = {"Anna", "John", "Maria", "Peter", "Sofia", "James", "Elena", "Thomas", "Ingrid", "Pablo", "Müller", "Chen"};
  static final String[] LAST = {"Smith", "Jones", "Garcia", "Novak", "O'Neil", "Weber", "Tanaka", "Silva", "Brown", "Larsen"};
  static final String[] CITIES = {"Berlin", "Paris", "New York", "Seoul", "San Francisco", "Köln", "Oslo", "Cape Town", "Lima", "Rome"};
  static final String[] NEW_FIRST = {"Anna", "Olga", "Karl", "Maria", "Yuki"};
  static final String[] NEW_LAST = {"Smith", "Ivanov", "Weber", "Dupont"};
  static final String[] NEW_CITIES = {"Oslo", "Vienna", "New Delhi", "Rome"};
  /** %p is a person, %c a city. */
  static final String[] SENTENCES = {
    "Yesterday %p met %p in %c.", "%p lives in %c, but works in %c.", "The mayor of %c, %p, said \"no\" on 12 May 2021.",
    "Dr. %p (born 1971) moved to %c!", "In %c the weather was fine; %p stayed home.",
    "The report costs $12.50 and covers %c and %c.", "Ask %p about it, or write to info@example.com.",
    "Everyone knew why %p left %c at 10:30.", "The company was founded in 1999.", "Is %p from %c?"};
  static final String[] TEXTS = {
    "Yesterday Anna Smith met Robert Hansen in Madrid.", "Dr. Weber (born 1971) moved to Köln!",
    "The mayor of Lyon, Maria Novak, said \"no\" on 3 May 2020.", "Is Zoë Müller-Larsen from São Paulo?",
    "Everyone knew why George O'Neil left Rome at 10:30. In Oslo the weather was fine; Peter stayed home.", "x",
    "Ask 東京 about it, or write to a.b@c.org; ÄÖÜ. wins 2:1, 50% of $1,234.56.",
    "maria garcia lives in PARIS, but works in N.Y. and San Francisco",
    "Elena\u00a0Silva, Thomas\tBrown\n\nand Ingrid live in Seoul.", "\u03a3\u039f\u03a6\u0399\u0391\u03a3 \u0130stanbul カタカナ ひらがな 漢字 𝒜x ーん",
    "In Lima James Tanaka said: 'Pablo Chen is from Cape Town'. Pablo Chen smiled.",
    "Ärger & Co. sells A-1/B2 parts (v2.0) &amp; more.", "Sofia, Sofia and Sofia Jones met Fatima.", "Call 12, 1999, 12-5, 1/2 or 1,5."};
  /** All generators that the default descriptor does not have, and some that it has. */
  static final String GENERATORS = "<featureGenerators cache='false' name='all'>"
      + generator("Window", "<int name='prevLength'>1</int><int name='nextLength'>1</int>" + generator("TokenPattern", "")
          + generator("TokenClass", "<bool name='wordAndClass'>false</bool>"))
      + generator("Aggregated", generator("Prefix", "<int name='length'>3</int>") + generator("Suffix", ""))
      + generator("CharacterNgram", "<int name='min'>3</int><int name='max'>4</int>") + generator("TrigramName", "")
      + generator("PreviousMap", "") + generator("DocumentBegin", "") + generator("Definition", "")
      + generator("Token", "<bool name='lowercase'>false</bool>")
      + generator("Sentence", "<bool name='begin'>true</bool><bool name='end'>true</bool>") + "</featureGenerators>";
  static final Random random = new Random(7);

  static String generator(String name, String settings) {
    return "<generator class='opennlp.tools.util.featuregen." + name + "FeatureGeneratorFactory'>" + settings + "</generator>";
  }

  static String pick(String[] list) {
    return list[random.nextInt(list.length)];
  }

  static TrainingParameters parameters(String algorithm, int iterations, int cutoff) {
    TrainingParameters parameters = new TrainingParameters();
    parameters.put("Algorithm", algorithm);
    parameters.put("Iterations", iterations);
    parameters.put("Cutoff", cutoff);
    return parameters;
  }

  static String json(String text) {
    StringBuilder result = new StringBuilder("\"");
    for (char c : text.toCharArray()) {
      if (c == '"' || c == '\\') result.append('\\').append(c);
      else if (c < 32 || Character.isSurrogate(c)) result.append(String.format("\\u%04x", (int) c));
      else result.append(c);
    }
    return result.append('"').toString();
  }

  public static void main(String[] arguments) throws Exception {
    List<NameSample> people = new ArrayList<>();
    List<NameSample> names = new ArrayList<>();
    List<TokenSample> texts = new ArrayList<>();
    for (int n = 0; n < 400; n++) {
      StringBuilder text = new StringBuilder();
      List<Span> marks = new ArrayList<>();
      Matcher gaps = Pattern.compile("%([pc])").matcher(pick(SENTENCES));
      while (gaps.find()) {
        gaps.appendReplacement(text, "");
        boolean isPerson = gaps.group(1).equals("p");
        String name = isPerson ? pick(FIRST) + (random.nextInt(3) == 0 ? "" : " " + pick(LAST)) : pick(CITIES);
        marks.add(new Span(text.length(), text.length() + name.length(), isPerson ? "person" : "location"));
        text.append(name);
      }
      gaps.appendTail(text);
      Span[] tokens = SimpleTokenizer.INSTANCE.tokenizePos(text.toString());
      List<Span> spans = new ArrayList<>();
      for (Span mark : marks) {
        int first = 0;
        while (tokens[first].getStart() < mark.getStart()) first++;
        int end = first;
        while (end < tokens.length && tokens[end].getEnd() <= mark.getEnd()) end++;
        spans.add(new Span(first, end, mark.getType()));
      }
      String[] words = Span.spansToStrings(tokens, text);
      Span[] persons = spans.stream().filter(span -> span.getType().equals("person")).toArray(Span[]::new);
      people.add(new NameSample(words, persons, n % 5 == 0));
      names.add(new NameSample(words, spans.toArray(new Span[0]), n % 5 == 0));
      texts.add(new TokenSample(text.toString(), tokens));
    }
    TokenNameFinderModel person = NameFinderME.train("en", null, ObjectStreamUtils.createObjectStream(people),
        parameters("MAXENT", 60, 4), new TokenNameFinderFactory());
    TokenNameFinderModel all = NameFinderME.train("en", null, ObjectStreamUtils.createObjectStream(names),
        parameters("PERCEPTRON", 20, 3),
        new TokenNameFinderFactory(GENERATORS.getBytes(StandardCharsets.UTF_8), new HashMap<>(), new BilouCodec()));
    TokenizerModel tokenizer = TokenizerME.train(ObjectStreamUtils.createObjectStream(texts),
        new TokenizerFactory("en", null, true, null), parameters("MAXENT", 60, 3));
    person.serialize(new File("person.bin"));
    all.serialize(new File("names.bin"));
    tokenizer.serialize(new File("tokens.bin"));

    List<String> unseen = new ArrayList<>(Arrays.asList(TEXTS));
    for (int n = 0; n < 60; n++) {
      StringBuilder text = new StringBuilder();
      Matcher gaps = Pattern.compile("%([pc])").matcher(pick(SENTENCES));
      while (gaps.find()) {
        String name = pick(NEW_FIRST) + (random.nextBoolean() ? " " + pick(NEW_LAST) : "");
        gaps.appendReplacement(text, gaps.group(1).equals("p") ? name : pick(NEW_CITIES));
      }
      unseen.add(gaps.appendTail(text).toString());
    }
    record(unseen, new TokenizerME(tokenizer), Map.of("person", new NameFinderME(person), "names", new NameFinderME(all)));
  }

  static void record(List<String> texts, TokenizerME tokenizer, Map<String, NameFinderME> finders) throws IOException {
    try (PrintWriter out = new PrintWriter("expected.jsonl", StandardCharsets.UTF_8)) {
      for (int i = 0; i < texts.size(); i++) {
        String[] tokens = tokenizer.tokenize(texts.get(i));
        StringJoiner words = new StringJoiner(",", "[", "]");
        for (String token : tokens) words.add(json(token));
        out.print("{\"text\":" + json(texts.get(i)) + ",\"tokens\":" + words);
        for (String model : List.of("person", "names")) {
          NameFinderME finder = finders.get(model);
          // Each two texts are a document.
          if (i % 2 == 0) finder.clearAdaptiveData();
          StringJoiner found = new StringJoiner(",", "[", "]");
          for (Span name : finder.find(tokens)) {
            found.add("[" + name.getStart() + "," + name.getEnd() + "," + json(name.getType()) + "," + name.getProb() + "]");
          }
          out.print(",\"" + model + "\":" + found);
        }
        out.println("}");
      }
    }
  }
}
