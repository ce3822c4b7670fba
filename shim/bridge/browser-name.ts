/** Browsers by the mark in their `User-Agent`. The first match counts: most also name Chrome or Safari. */
const BROWSERS: [mark: RegExp, name: string][] = [
  [/Edg(e|A|iOS)?\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];

const SYSTEMS: [mark: RegExp, name: string][] = [
  [/Android/, 'Android'],
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Windows/, 'Windows'],
  [/CrOS/, 'ChromeOS'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
];

/** The first name of a browser for people, such as `Chrome on Linux`. */
export function browserName(agent: string): string {
  const named = (list: [RegExp, string][]) => list.find(([mark]) => mark.test(agent))?.[1];
  const system = named(SYSTEMS);
  return `${named(BROWSERS) ?? 'Browser'}${system ? ` on ${system}` : ''}`;
}
