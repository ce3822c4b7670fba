/** What a body is, by its Content-Type. */
export interface ContentType {
  /** `application/json`, in lower case; empty when there is none. */
  type: string;
  parameters: Record<string, string>;
}

export type BodyKind = 'json' | 'form' | 'text' | 'xml' | 'multipart' | 'file';

export function readContentType(header: string | null): ContentType {
  const text = header ?? '';
  const type = text.split(';')[0]!.trim().toLowerCase();
  return {
    type,
    parameters: readParameters(text.slice(text.indexOf(';') < 0 ? text.length : text.indexOf(';'))),
  };
}

/** `; name="value"; other=x` */
export function readParameters(text: string): Record<string, string> {
  const found: [string, string][] = [];
  for (const [, name, quoted, plain] of text.matchAll(
    /;\s*([^\s=;]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;]*))/g,
  )) {
    // A backslash is an escape before a quote only: browsers of old send whole Windows paths.
    found.push([name!.toLowerCase(), quoted?.replace(/\\(["\\])/g, '$1') ?? plain!.trim()]);
  }
  return Object.fromEntries(found);
}

export function kindOf(type: string): BodyKind {
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
