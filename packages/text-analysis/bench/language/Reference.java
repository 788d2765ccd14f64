import com.cybozu.labs.langdetect.Detector;
import com.cybozu.labs.langdetect.DetectorFactory;
import com.cybozu.labs.langdetect.LangDetectException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import net.arnx.jsonic.JSON;

/** Counts what the reference's detector gets right: java Reference.java PROFILES SAMPLE. */
public class Reference {
  public static void main(String[] args) throws Exception {
    List<String> profiles = new ArrayList<>();
    try (var files = Files.list(Path.of(args[0]))) {
      for (Path file : files.sorted().toList()) profiles.add(Files.readString(file));
    }
    DetectorFactory.loadProfile(profiles);
    Map<String, List<String>> sample = JSON.decode(Files.readString(Path.of(args[1])));
    int all = 0;
    int right = 0;
    int sure = 0;
    int sureAndRight = 0;
    for (var language : sample.entrySet()) {
      if (language.getValue().size() < 50) continue;
      for (String text : language.getValue()) {
        all++;
        try {
          Detector detector = DetectorFactory.create();
          detector.append(text);
          var found = detector.getProbabilities();
          if (found.isEmpty()) continue;
          boolean isRight = found.get(0).lang.equals(language.getKey());
          if (isRight) right++;
          if (found.get(0).prob < 0.95) continue;
          sure++;
          if (isRight) sureAndRight++;
        } catch (LangDetectException e) {
          // It throws on a text without letters.
        }
      }
    }
    System.out.printf(
        "right %.2f %%, sure %.2f %%, of these right %.2f %%%n",
        100.0 * right / all, 100.0 * sure / all, 100.0 * sureAndRight / sure);
  }
}
