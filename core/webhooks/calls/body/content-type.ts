/** The kind of a body, by its Content-Type. */
export interface ContentType {
  /** `application/json`: lower case, empty without the header. */
  type: string;
  parameters: Record<string, string>;
}

export type BodyKind = 'json' | 'form' | 'text' | 'xml' | 'multipart' | 'file';

export function readContentType(header: string | null): ContentType {
  const text = header ?? '';
  const type = text.split(';')[0]!.trim().toLowerCase();
  const semicolon = text.indexOf(';');
  return { type, parameters: semicolon < 0 ? {} : readParameters(text.slice(semicolon)) };
}

/** Reads the parameters of a header value: `; name="value"; other=x`. Names become lower case. */
export function readParameters(text: string): Record<string, string> {
  const found: [string, string][] = [];
  for (const [, name, quoted, plain] of text.matchAll(
    /;\s*([^\s=;]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;]*))/g,
  )) {
    // A backslash escapes only a quote or a backslash: old browsers send whole Windows paths.
    found.push([name!.toLowerCase(), quoted?.replace(/\\(["\\])/g, '$1') ?? plain!.trim()]);
  }
  return Object.fromEntries(found);
}

export function bodyKind(type: string): BodyKind {
  switch (type) {
    case 'application/json':
      return 'json';
    case 'application/x-www-form-urlencoded':
      return 'form';
    case 'text/plain':
      return 'text';
    case 'multipart/form-data':
      return 'multipart';
    default:
      return /^[^/]+\/(?:xml|.+\+xml)$/.test(type) ? 'xml' : 'file';
  }
}

/** A file name without its folders. */
export function withoutFolders(name: string | undefined): string | undefined {
  return name?.replace(/^.*[/\\]/, '');
}
