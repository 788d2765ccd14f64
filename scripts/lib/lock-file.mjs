// Finds packages that a lock file lacks: packages for other platforms, which are optional dependencies of others. And
// those without a hash, so that npm could not notice another content.

const SYSTEMS = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
const PROCESSORS = ['arm64', 'arm', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'x64', 'wasm32'];
const LIBRARIES = { gnu: 'glibc', musl: 'musl' };

/**
 * Returns the missing entries of a lock file, by their path in `node_modules`. The platform of a package is read from
 * its name, such as `binding-linux-arm64-gnu`, so that npm ignores it on every other platform.
 */
export function missingPackages({ packages }) {
  const missing = {};
  for (const [path, { optionalDependencies = {}, dev }] of Object.entries(packages)) {
    for (const [name, range] of Object.entries(optionalDependencies)) {
      const version = range.replace(/^[~^]/, '');
      if (isThere({ ...missing, ...packages }, path, name, range)) continue;
      const hoisted = `node_modules/${name}`;
      const isFree = packages[hoisted] === undefined && missing[hoisted] === undefined;
      missing[isFree ? hoisted : `${path}/node_modules/${name}`] = entry(name, version, dev);
    }
  }
  return missing;
}

/** Returns the packages of a registry without a hash, by their path in `node_modules`. */
export function packagesWithoutHash({ packages }) {
  return Object.entries(packages)
    .filter(([path, { integrity, link, inBundle }]) => {
      return path.includes('node_modules/') && link !== true && inBundle !== true && integrity === undefined;
    })
    .map(([path]) => path);
}

/** Returns whether a package finds this version of another one. As in Node, the first package on the path counts. */
function isThere(packages, from, name, version) {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const found = packages[`${at === '' ? '' : `${at}/`}node_modules/${name}`];
    // An entry with a name is an override: another package replaces this one.
    if (found !== undefined) return !isExact(version) || found.version === version || found.name !== undefined;
    if (at === '') return false;
  }
}

/**
 * Returns whether a version is exact. Packages for one platform have an exact version. npm itself must resolve a range.
 */
function isExact(version) {
  return /^\d+\.\d+\.\d+[\w.-]*$/.test(version);
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
