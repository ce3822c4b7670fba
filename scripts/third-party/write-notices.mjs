// Writes the licenses of bundled packages as text, and the list of them as a bill of materials.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describePackages } from './bundled-packages.mjs';

const RULE = '-'.repeat(80);

/** Works of others that a package contains and does not name in its license. */
const CONTAINED = {
  'cmu-pronouncing-dictionary':
    'It contains the CMU Pronouncing Dictionary, Copyright (C) 1993-2015 Carnegie Mellon University (BSD-2-Clause): https://github.com/cmusphinx/cmudict/blob/master/LICENSE',
  pyodide:
    'It contains CPython (PSF-2.0) and the libraries that it uses: https://docs.python.org/3/license.html',
};

/**
 * Writes `THIRD-PARTY-NOTICES.txt` and `sbom.cdx.json` (CycloneDX 1.6) into `folder`.
 * @param owner the parsed package.json of the package that contains the others
 */
export function writeNotices(folder, owner, packageFolders) {
  const packages = describePackages(packageFolders);
  writeFileSync(join(folder, 'THIRD-PARTY-NOTICES.txt'), noticesText(owner, packages));
  writeFileSync(
    join(folder, 'sbom.cdx.json'),
    `${JSON.stringify(billOfMaterials(owner, packages), null, 2)}\n`,
  );
}

function noticesText({ name }, packages) {
  const sections = packages.map(
    ({ name: dependency, version, license, author, texts }) =>
      `${RULE}\n${dependency} ${version} (${license})\n${RULE}\n\n${[texts.join('\n\n') || standardText(license, author), CONTAINED[dependency] ?? []].flat().join('\n\n')}\n`,
  );
  return `The package ${name} contains code of these packages, under their licenses.\n\n${sections.join('\n')}`;
}

/** For packages that name a license and carry no text of it. */
function standardText(license, author) {
  const owner = author ? `Copyright: ${author}\n` : '';
  return `${owner}The package states this license and contains no further text: https://spdx.org/licenses/${license}.html`;
}

function billOfMaterials({ name, version }, packages) {
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'application', name, version, 'bom-ref': purl(name, version) } },
    components: packages.map((component) => ({
      type: 'library',
      'bom-ref': purl(component.name, component.version),
      name: component.name,
      version: component.version,
      purl: purl(component.name, component.version),
      licenses: [licenseOf(component.license)],
    })),
  };
}

const purl = (name, version) => `pkg:npm/${name.replace('@', '%40')}@${version}`;

/** A license by its SPDX id, or an expression of several. */
function licenseOf(license) {
  return /^[\w.+-]+$/.test(license)
    ? { license: { id: license } }
    : { expression: license.replace(/[()]/g, '') };
}

export const readPackage = (path) => JSON.parse(readFileSync(path, 'utf8'));
