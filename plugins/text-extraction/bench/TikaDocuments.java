import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import org.apache.tika.io.TikaInputStream;
import org.apache.tika.metadata.Metadata;
import org.apache.tika.metadata.TikaCoreProperties;
import org.apache.tika.parser.AutoDetectParser;
import org.apache.tika.parser.ParseContext;
import org.apache.tika.parser.Parser;
import org.apache.tika.sax.BodyContentHandler;

/**
 * Reads the files of a list with the parsers of Tika, one at a time. Each line of the list is a path. Writes path,
 * pages and the text in base64 for each file. The last line is the processor time of the process in milliseconds.
 */
public class TikaDocuments {
  public static void main(String[] args) throws Exception {
    List<String> names = Files.readAllLines(Path.of(args[0]));
    Parser parser = new AutoDetectParser();
    try (PrintStream out = new PrintStream(args[1], StandardCharsets.UTF_8)) {
      for (String name : names) {
        Metadata metadata = new Metadata();
        metadata.set(TikaCoreProperties.RESOURCE_NAME_KEY, Path.of(name).getFileName().toString());
        BodyContentHandler handler = new BodyContentHandler(-1);
        ParseContext context = new ParseContext();
        context.set(Parser.class, parser);
        try (TikaInputStream stream = TikaInputStream.get(Path.of(name))) {
          parser.parse(stream, handler, metadata, context);
        } catch (Throwable problem) {
          // What was read before the problem counts.
        }
        String pages = metadata.get("xmpTPg:NPages");
        byte[] text = handler.toString().getBytes(StandardCharsets.UTF_8);
        out.println(name + "\t" + (pages == null ? "" : pages) + "\t" + Base64.getEncoder().encodeToString(text));
      }
      var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
      out.println(system.getProcessCpuTime() / 1_000_000);
    }
  }
}
