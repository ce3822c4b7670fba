/** Reads and moves sections of a changelog in the form of keepachangelog.com. */

/** A heading of a version: `## [0.2.0] - 2026-12-01`, or `## [Unreleased]`. */
const HEADING = /^## \[([^\]]+)\](?: - (\d{4}-\d{2}-\d{2}))?$/;

export interface ChangelogSection {
  /** `Unreleased`, or a version. */
  name: string;
  /** `2026-12-01`. Undefined for the unreleased section. */
  date: string | undefined;
  /** The text under the heading, trimmed. */
  text: string;
}

/** The sections in order. @throws Error if a heading of the second level is not a version */
export function readSections(changelog: string): ChangelogSection[] {
  const sections: ChangelogSection[] = [];
  for (const line of changelog.split('\n')) {
    const heading = HEADING.exec(line);
    if (heading) sections.push({ name: heading[1]!, date: heading[2], text: '' });
    else if (/^## /.test(line)) throw new Error(`not a version: "${line}"`);
    else if (sections.length > 0) sections.at(-1)!.text += `${line}\n`;
  }
  return sections.map((section) => ({ ...section, text: section.text.trim() }));
}

/**
 * The changes of a release: the section of `version`, else the unreleased one.
 * Throws when that section is empty: a release says what it changes.
 */
export function releaseNotes(changelog: string, version: string): string {
  const sections = readSections(changelog);
  const section =
    sections.find(({ name }) => name === version) ?? sections.find(({ name }) => name === 'Unreleased');
  if (!section?.text) throw new Error(`CHANGELOG.md says nothing about ${version}`);
  return section.text;
}

/**
 * Turns the unreleased section into that of a version, under a new empty one.
 * @param date `2026-12-01`
 */
export function closeUnreleased(changelog: string, version: string, date: string): string {
  if (readSections(changelog).some(({ name }) => name === version))
    throw new Error(`CHANGELOG.md has a section ${version} already`);
  const heading = '## [Unreleased]';
  if (!changelog.includes(`${heading}\n`)) throw new Error(`CHANGELOG.md has no "${heading}"`);
  return changelog.replace(`${heading}\n`, `${heading}\n\n## [${version}] - ${date}\n`);
}
