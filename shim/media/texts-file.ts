/** Texts as ffmpeg reads them from a file of their own: a graph is longer than a command line may be. */
export function textsFile(texts: Readonly<Record<string, string>>): string {
  const escaped = (text: string) => text.replaceAll('\0', '').replace(/[=;#\\\n]/g, '\\$&');
  const lines = Object.entries(texts).map(([name, text]) => `${escaped(name)}=${escaped(text)}\n`);
  return `;FFMETADATA1\n${lines.join('')}`;
}
