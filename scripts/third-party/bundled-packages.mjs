// The packages of others whose code a build contains.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A Vite plugin that adds the folder of each bundled package to `folders`. It also serves the bundles of workers. */
export function collectPackages(folders) {
  return {
    name: 'tabd-collect-packages',
    generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle)) {
        for (const id of chunk.moduleIds ?? []) {
          const folder = packageFolder(id);
          if (folder) folders.add(folder);
        }
      }
    },
  };
}

/** The folder of the package that a module belongs to. Undefined: the module is not from a package. */
export function packageFolder(id) {
  const path = id.replace(/^\0+/, '').replace(/\?.*$/, '').replaceAll('\\', '/');
  return /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
}

/**
 * Reads name, version, license and license text of the packages, sorted by name.
 * @throws Error for a package without a license: its terms must be found before it is published
 */
export function describePackages(folders) {
  const packages = new Map();
  for (const folder of folders) {
    const { name, version, license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const texts = licenseTexts(folder);
    if (!license && texts.length === 0) throw new Error(`the package ${name} states no license`);
    packages.set(`${name}@${version}`, {
      name,
      version,
      license: license ?? 'see the text',
      author: author?.name ?? author,
      texts,
    });
  }
  return [...packages.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The texts of the files LICENSE, NOTICE and their like. */
function licenseTexts(folder) {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names
    .filter((name) => /^(licen[cs]e|copying|notice|third.?party.?notices?)([.-]|$)/i.test(name))
    .filter((name) => !/\.(js|ts|json)$/i.test(name))
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8').trim());
}

/** The folder of an installed package, for files that a build copies without bundling. */
export function installedFolder(root, name) {
  return join(root, 'node_modules', name).replaceAll('\\', '/');
}
