import { expect, it } from 'vitest';
import { closeUnreleased, readSections, releaseNotes } from './changelog.ts';

const changelog = `# Changes

Introduction.

## [Unreleased]

### Added

- b

## [0.1.0] - 2026-11-22

- a
`;

it('reads versions with their dates and texts', () => {
  expect(readSections(changelog)).toEqual([
    { name: 'Unreleased', date: undefined, text: '### Added\n\n- b' },
    { name: '0.1.0', date: '2026-11-22', text: '- a' },
  ]);
});

it('refuses a heading that is not a version', () => {
  expect(() => readSections('## Soon\n')).toThrow('not a version: "## Soon"');
});

it('returns the notes of the version, or else the unreleased ones', () => {
  expect(releaseNotes(changelog, '0.1.0')).toBe('- a');
  expect(releaseNotes(changelog, '0.2.0')).toBe('### Added\n\n- b');
});

it('refuses a release without changes', () => {
  expect(() => releaseNotes('## [Unreleased]\n\n', '0.2.0')).toThrow('says nothing about 0.2.0');
});

it('closes the unreleased section under a new one', () => {
  const closed = closeUnreleased(changelog, '0.2.0', '2026-12-01');
  expect(readSections(closed).map(({ name, date, text }) => [name, date, text])).toEqual([
    ['Unreleased', undefined, ''],
    ['0.2.0', '2026-12-01', '### Added\n\n- b'],
    ['0.1.0', '2026-11-22', '- a'],
  ]);
});

it('refuses an existing version, and a changelog without an unreleased section', () => {
  expect(() => closeUnreleased(changelog, '0.1.0', '2026-12-01')).toThrow('has a section 0.1.0 already');
  expect(() => closeUnreleased('## [0.1.0]\n', '0.2.0', '2026-12-01')).toThrow('no "## [Unreleased]"');
});
