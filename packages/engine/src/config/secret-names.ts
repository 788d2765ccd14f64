// If a key ends in one of these words, or contains one as a separate word, its value is a secret.
const SECRET = new RegExp(
  [
    'pass(word|wd|phrase|code|key)s?$',
    '(^|_)(pgpass|pass|pwd|pw|sas|sig|cookies?|jaas|bearer)(_|$)',
    '(^|_)(signatures?|salt|pepper|pin|otp|login|dsn)$',
    'secrets?(_|$)',
    '(api|access|private|account|shared|master|signing|encryption|subscription|functions?|auth)_?keys?(_|$)',
    '(^|_)sse_customer_key$',
    'token$',
    'credentials?(_|$)',
    'connection_?strings?$',
    'authorization$',
    'web_?hooks?(_?ur[il])?$',
  ].join('|'),
);

/** A cache by key. Configs have few different keys, and each upload checks all of them. */
const known = new Map<string, boolean>();
const MAX_KNOWN = 10_000;
const MAX_KNOWN_LENGTH = 64;

/** Returns true if the value of this key is a secret. */
export function isSecretKey(key: string): boolean {
  let secret = known.get(key);
  if (secret === undefined) {
    secret = soundsSecret(key);
    // Copies the key. A substring would keep the whole config text in memory.
    if (known.size < MAX_KNOWN && key.length <= MAX_KNOWN_LENGTH) known.set(Buffer.from(key).toString(), secret);
  }
  return secret;
}

function soundsSecret(key: string): boolean {
  const words = key
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^a-zA-Z0-9]+/g, '_')
    .toLowerCase();
  return SECRET.test(words);
}

/**
 * How the value of a key is shown. `headers` and `environment`: it is an object of HTTP headers or of environment
 * variables. `hidden`: it may be a secret, such as an unknown header. It is masked, but it may be a common word, so other
 * texts that contain it are not. `secret`: it is masked wherever it appears.
 */
export type Secrecy = 'shown' | 'headers' | 'environment' | 'hidden' | 'secret';

/** Returns how the value of a key is shown. `above` is the secrecy of the object that has the key. */
export function secrecyOf(above: Secrecy, key: string): Secrecy {
  if (above === 'secret' || isSecretKey(key)) return 'secret';
  if (above === 'hidden' || above === 'environment') return 'hidden';
  if (above === 'headers') return HARMLESS_HEADERS.has(key.toLowerCase()) ? 'shown' : 'hidden';
  if (/^headers$|Headers$|[_-]headers$/.test(key)) return 'headers';
  return /^env(ironment)?$/.test(key) ? 'environment' : 'shown';
}

/** Returns true if a value of this secrecy is masked completely. */
export function isMaskedWhole(secrecy: Secrecy): boolean {
  return secrecy === 'secret' || secrecy === 'hidden';
}

/** Returns true if the value of a parameter in a URL may be shown. */
export function isHarmlessParameter(name: string): boolean {
  return HARMLESS_PARAMETERS.has(name.toLowerCase());
}

/** Returns true if a value that may be a secret cannot be a common word or number, so that it is safe to search for. */
export function looksRandom(value: string): boolean {
  return value.length >= 20 || (value.length >= 8 && /\d/.test(value) && /[^\d.,:-]/.test(value));
}

const HARMLESS_HEADERS: ReadonlySet<string> = new Set(
  `accept accept-charset accept-encoding accept-language cache-control connection content-disposition content-encoding
  content-language content-length content-type date dnt expect from host if-match if-modified-since if-none-match
  if-unmodified-since keep-alive origin pragma prefer range te traceparent transfer-encoding user-agent via
  x-ms-date x-ms-version x-request-id x-requested-with openai-beta anthropic-version`.split(/\s+/),
);

/** Parameters that choose, order or format results, name a place, or describe a signature without being a part of it. */
const HARMLESS_PARAMETERS: ReadonlySet<string> = new Set(
  `q query search fq fl df qf rows start sort order orderby order_by sortby dir direction from to size offset limit page
  pages pagesize page_size per_page perpage count max min maxresults max_results skip top first last n
  field fields select columns filter filters filter_path expand include exclude distinct facet group
  index indices type types routing pipeline refresh timeout version version_type op_type require_alias
  wait_for_active_shards wait_for_completion preference scroll slices pretty human flat_settings include_defaults
  expand_wildcards allow_no_indices ignore_unavailable ignore_throttled
  wt commit commitwithin softcommit overwrite action collection core shards numshards replicationfactor update.chain
  processor omitheader indent handler deftype hl debug showdefaults includedynamic wait generation level
  format fmt output lang language languages locale country encoding charset date day week month year time timezone tz
  since until before after start_date end_date view mode alt download inline api-version api_version apiversion v ver
  feed category categories section tag tags topic name title namespace prefix delimiter list-type recursive
  db database schema table bucket region project id ids user username userid host port model deployment
  ssl sslmode tls replicaset authsource authmechanism retrywrites readpreference w appname
  sv ss srt sp st se spr sr si sdd comp restype
  x-amz-algorithm x-amz-date x-amz-expires x-amz-signedheaders x-goog-algorithm x-goog-date x-goog-expires
  x-goog-signedheaders response-content-type response-content-disposition versionid partnumber uploads`.split(/\s+/),
);
