/** Metadata texts in ffmpeg's file format. A graph may be longer than a command line. */
export function metadataFile(texts: Readonly<Record<string, string>>): string {
  const escaped = (text: string) => text.replaceAll('\0', '').replace(/[=;#\\\n]/g, '\\$&');
  const lines = Object.entries(texts).map(([name, text]) => `${escaped(name)}=${escaped(text)}\n`);
  return `;FFMETADATA1\n${lines.join('')}`;
}
