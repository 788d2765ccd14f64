// Makes models as OpenNLP 1 writes them, and records the results of OpenNLP 1.9.4 for texts that are not in the training data.
// Run it in this folder, with opennlp-tools on the class path. With version 1.5.3, it makes old.bin, which has no
// descriptor: java -cp … MakeOldModels.java 1.5. Version 1.9.4 makes the other files, without an argument.
import java.io.*;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.regex.*;
import opennlp.tools.dictionary.Dictionary;
import opennlp.tools.namefind.*;
import opennlp.tools.tokenize.*;
import opennlp.tools.util.*;

public class MakeOldModels {
  static final String[] FIRST = {"Anna", "John", "Maria", "Peter", "Sofia", "James", "Elena", "Thomas", "Ingrid", "Pablo", "Müller", "Chen", "東京", "カタカナ"};
  static final String[] LAST = {"Smith", "Jones", "Garcia", "Novak", "O'Neil", "Weber", "Tanaka", "Silva", "Brown", "Larsen"};
  static final String[] CITIES = {"Berlin", "Paris", "New York", "Seoul", "San Francisco", "Köln", "Oslo", "Cape Town", "Lima", "Rome"};
  static final String[] NEW_FIRST = {"Anna", "Olga", "Karl", "Maria", "Yuki", "İstanbul", "ひらがな", "anna", "MARIA"};
  static final String[] NEW_LAST = {"Smith", "Ivanov", "Weber", "Dupont", "ΣΟΦΙΑΣ"};
  static final String[] NEW_CITIES = {"Oslo", "Vienna", "New Delhi", "Rome", "new york", "Cape Town", "CAPE town"};
  static final String[] OTHERS = {"the", "in", "lives", "works", "of", "mayor", ".", ",", "new", "york", "anna", "Olga", "Vienna", "Karl"};
  /** %p is a person, %c a city. */
  static final String[] SENTENCES = {
    "Yesterday %p met %p in %c.", "%p lives in %c, but works in %c.", "The mayor of %c, %p, said \"no\" on 12 May 2021.",
    "Dr. %p (born 1971) moved to %c!", "In %c the weather was fine; %p stayed home.",
    "The report costs $12.50 and covers %c and %c.", "Ask %p about it, or write to info@example.com.",
    "Everyone knew why %p left %c at 10:30.", "The company was founded in 1999.", "Is %p from %c?"};
  /** All generators that need other files, in the descriptor of version 1.9. */
  static final String GENERATORS = "<featureGenerators cache='true' name='all'>" + generator("Token", "<bool name='lowercase'>false</bool>")
      + window(generator("Dictionary", file("words.dictionary") + "<str name='prefix'>words</str>"))
      + generator("Dictionary", file("exact.dictionary") + "<str name='prefix'>exact</str>")
      + generator("Dictionary", file("plain.dictionary") + "<str name='prefix'>plain</str>")
      + generator("WordCluster", file("words.wordcluster") + "<bool name='lowerCase'>true</bool>")
      + window(generator("WordCluster", file("words.wordcluster") + "<bool name='lowerCase'>false</bool>"))
      + generator("BrownClusterToken", file("paths.brownclustertoken")) + generator("BrownClusterTokenClass", file("paths.brownclustertoken"))
      + window(generator("BrownClusterBigram", file("paths.brownclustertoken"))) + "</featureGenerators>";
  /** All generators in the descriptor of version 1.5. */
  static final String ELEMENTS = "<generators><cache><generators><window prevLength='1' nextLength='2'><tokenclass wordAndClass='false'/></window>"
      + "<window prevLength='2' nextLength='1'><token/></window><definition/><prevmap/><bigram/><docbegin/><sentence begin='false'/>"
      + "<charngram min='2' max='4'/><prefix length='2'/><suffix/><tokenpattern/>"
      + "<window prevLength='1' nextLength='1'><dictionary dict='words.dictionary' prefix='dd'/></window><dictionary dict='exact.dictionary'/>"
      + "<wordcluster dict='words.wordcluster' lowerCase='true'/><wordcluster dict='words.wordcluster'/>"
      + "<brownclustertoken dict='paths.brownclustertoken'/><brownclustertokenclass dict='paths.brownclustertoken'/>"
      + "<brownclusterbigram dict='paths.brownclustertoken'/></generators></cache></generators>";
  static Random random = new Random(7);

  static String generator(String name, String settings) {
    return "<generator class='opennlp.tools.util.featuregen." + name + "FeatureGeneratorFactory'>" + settings + "</generator>";
  }

  static String window(String nested) {
    return generator("Window", "<int name='prevLength'>1</int><int name='nextLength'>1</int>" + nested);
  }

  static String file(String name) {
    return "<str name='dict'>" + name + "</str>";
  }

  static String pick(String[] list) {
    return list[random.nextInt(list.length)];
  }

  static InputStream dictionary(String attributes, String... entries) {
    StringBuilder xml = new StringBuilder("<?xml version='1.0' encoding='UTF-8'?><dictionary" + attributes + ">");
    for (String entry : entries) xml.append("<entry><token>" + entry.replace(" ", "</token><token>") + "</token></entry>");
    return input(xml + "</dictionary>");
  }

  static InputStream input(String text) {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Words with numbers, or with paths of 3 to more than 20 bits. */
  static InputStream clusters(String separator, boolean paths) {
    StringBuilder lines = new StringBuilder();
    int i = 0;
    for (String[] words : new String[][] {FIRST, LAST, CITIES, OTHERS}) for (String word : words) {
      if (word.contains(" ")) continue;
      i++;
      String path = Integer.toBinaryString(i * 7919 + 13) + (i % 3 == 0 ? Integer.toBinaryString(i * 104729) : "");
      if (i % 7 == 0) path = path.substring(0, 3);
      if (i % 5 == 0) path = path.substring(0, Math.min(6, path.length()));
      lines.append(word + separator + (paths ? path : "" + i % 9) + "\n");
    }
    return input(lines.toString());
  }

  static ObjectStream<NameSample> samples(boolean onlyPeople) {
    random = new Random(7);
    List<NameSample> samples = new ArrayList<>();
    for (int n = 0; n < 400; n++) {
      StringBuffer text = new StringBuffer();
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
        if (onlyPeople && !mark.getType().equals("person")) continue;
        int first = 0;
        while (tokens[first].getStart() < mark.getStart()) first++;
        int end = first;
        while (end < tokens.length && tokens[end].getEnd() <= mark.getEnd()) end++;
        spans.add(new Span(first, end, mark.getType()));
      }
      samples.add(new NameSample(Span.spansToStrings(tokens, text.toString()), spans.toArray(new Span[0]), n % 5 == 0));
    }
    return ObjectStreamUtils.createObjectStream(samples);
  }

  static TrainingParameters parameters(String algorithm) {
    TrainingParameters parameters = new TrainingParameters();
    parameters.put("Algorithm", algorithm);
    parameters.put("Iterations", "60");
    parameters.put("Cutoff", "2");
    return parameters;
  }

  /** Methods and classes that only one of the versions has are called by reflection. */
  public static void main(String[] arguments) throws Exception {
    if (arguments.length > 0) {
      for (Method method : NameFinderME.class.getMethods()) {
        if (!method.getName().equals("train") || method.getParameterCount() != 6 || method.getParameterTypes()[4] != byte[].class) continue;
        Object model = method.invoke(null, "en", "person", samples(true), parameters("MAXENT"), null, new HashMap<>());
        ((TokenNameFinderModel) model).serialize(new FileOutputStream("old.bin"));
      }
      return;
    }
    make("elements.bin", ELEMENTS);
    make("clusters.bin", GENERATORS);
    record("old", "elements", "clusters");
  }

  static void make(String path, String descriptor) throws Exception {
    String features = "opennlp.tools.util.featuregen.";
    Map<String, Object> files = new HashMap<>();
    files.put("words.dictionary", new Dictionary(dictionary(" case_sensitive='false'", "anna", "New York", "Cape Town", "Oslo", "sofia jones")));
    files.put("exact.dictionary", new Dictionary(dictionary(" case_sensitive='true'", "Anna", "Cape Town", "Cape", "Peter")));
    files.put("plain.dictionary", new Dictionary(dictionary("", "Maria", "Berlin")));
    files.put("words.wordcluster", Class.forName(features + "WordClusterDictionary").getConstructor(InputStream.class).newInstance(clusters(" ", false)));
    files.put("paths.brownclustertoken", Class.forName(features + "BrownCluster").getConstructor(InputStream.class).newInstance(clusters("\t", true)));
    Class<?> factory = Class.forName("opennlp.tools.namefind.TokenNameFinderFactory");
    Class<?> codec = Class.forName("opennlp.tools.util.SequenceCodec");
    Object made = factory.getConstructor(byte[].class, Map.class, codec)
        .newInstance(descriptor.getBytes(StandardCharsets.UTF_8), files, Class.forName("opennlp.tools.namefind.BioCodec").getConstructor().newInstance());
    Object model = NameFinderME.class.getMethod("train", String.class, String.class, ObjectStream.class, TrainingParameters.class, factory)
        .invoke(null, "en", null, samples(false), parameters("PERCEPTRON"), made);
    ((TokenNameFinderModel) model).serialize(new FileOutputStream(path));
  }

  static void record(String... models) throws Exception {
    random = new Random(99);
    Map<String, NameFinderME> finders = new LinkedHashMap<>();
    for (String model : models) finders.put(model, new NameFinderME(new TokenNameFinderModel(new FileInputStream(model + ".bin"))));
    try (PrintWriter out = new PrintWriter("expected-old.jsonl", "UTF-8")) {
      for (int i = 0; i < 200; i++) {
        StringBuffer text = new StringBuffer();
        Matcher gaps = Pattern.compile("%([pc])").matcher(pick(SENTENCES));
        while (gaps.find()) {
          String name = pick(NEW_FIRST) + (random.nextBoolean() ? " " + pick(NEW_LAST) : "");
          gaps.appendReplacement(text, gaps.group(1).equals("p") ? name : pick(NEW_CITIES));
        }
        String[] tokens = SimpleTokenizer.INSTANCE.tokenize(gaps.appendTail(text).toString());
        out.print("{\"tokens\":[\"" + String.join("\",\"", tokens).replace("\"\"\"", "\"\\\"\"") + "\"]");
        for (String model : models) {
          NameFinderME finder = finders.get(model);
          // Each two texts are a document.
          if (i % 2 == 0) finder.clearAdaptiveData();
          Span[] names = finder.find(tokens);
          double[] scores = finder.probs(names);
          StringJoiner found = new StringJoiner(",", "[", "]");
          for (int n = 0; n < names.length; n++) {
            found.add("[" + names[n].getStart() + "," + names[n].getEnd() + ",\"" + names[n].getType() + "\"," + scores[n] + "]");
          }
          out.print(",\"" + model + "\":" + found);
        }
        out.println("}");
      }
    }
  }
}
