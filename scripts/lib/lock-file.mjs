// What a lock file lacks: packages for other platforms, which other packages name as optional dependencies.

const SYSTEMS = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
const PROCESSORS = ['arm64', 'arm', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'x64', 'wasm32'];
const LIBRARIES = { gnu: 'glibc', musl: 'musl' };

/**
 * The entries that a lock file lacks, by their path in `node_modules`. What they run on is read from their names,
 * such as `binding-linux-arm64-gnu`: on every other platform npm then leaves them alone.
 */
export function missingPackages({ packages }) {
  const missing = {};
  for (const [path, { optionalDependencies = {}, dev }] of Object.entries(packages)) {
    for (const [name, range] of Object.entries(optionalDependencies)) {
      if (isThere(packages, path, name)) continue;
      const version = range.replace(/^[~^]/, '');
      const hoisted = `node_modules/${name}`;
      const isFree = missing[hoisted] === undefined || missing[hoisted].version === version;
      missing[isFree ? hoisted : `${path}/node_modules/${name}`] = entry(name, version, dev);
    }
  }
  return missing;
}

/** Whether a package finds another one, looking where Node looks. */
function isThere(packages, from, name) {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    if (packages[`${at === '' ? '' : `${at}/`}node_modules/${name}`] !== undefined) return true;
    if (at === '') return false;
  }
}

function entry(name, version, dev) {
  const parts = name.slice(name.lastIndexOf('/') + 1).split('-');
  const cpu = PROCESSORS.find((processor) => parts.includes(processor));
  const os = SYSTEMS.find((system) => parts.includes(system));
  const library = Object.keys(LIBRARIES).find((part) => parts.includes(part));
  return {
    version,
    ...(cpu === undefined ? {} : { cpu: [cpu] }),
    ...(dev === true ? { dev } : {}),
    ...(library === undefined ? {} : { libc: [LIBRARIES[library]] }),
    optional: true,
    ...(os === undefined ? {} : { os: [os] }),
  };
}
