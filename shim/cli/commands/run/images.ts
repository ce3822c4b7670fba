import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { resolve } from 'node:path';

/** A path of an image, in quotes or with escaped spaces. */
const PATH =
  /(["'])((?:~|\.{1,2}|[a-z]:)?[\\/][^"'\n]*?\.(?:jpe?g|png|webp))\1|(?<![^\s(])((?:~|\.{1,2}|[a-z]:)?[\\/](?:\\ |\S)*?\.(?:jpe?g|png|webp))(?![\w\\/])/gi;
const MAX_BYTES = 100 * 1024 * 1024;

export interface PromptWithImages {
  /** The prompt without the paths of the images. */
  text: string;
  /** The images in base64. */
  images: string[];
  /** The paths of the images, as the prompt writes them. */
  paths: string[];
}

/**
 * Extracts images that a prompt names by path. A path without a file stays in the text. Rejects if a file cannot be
 * read.
 */
export async function takeImages(prompt: string): Promise<PromptWithImages> {
  const images: string[] = [];
  const paths: string[] = [];
  let text = '';
  let end = 0;
  for (const match of prompt.matchAll(PATH)) {
    const named = match[2] ?? match[3]!;
    const data = await imageAt(named);
    if (!data) continue;
    text += prompt.slice(end, match.index);
    end = match.index + match[0].length;
    images.push(data);
    paths.push(named);
  }
  text += prompt.slice(end);
  return { text: paths.length > 0 ? text.replace(/ {2,}/g, ' ').trim() : prompt, images, paths };
}

async function imageAt(named: string): Promise<string | undefined> {
  const plain = named.replace(/\\ /g, ' ').replace(/^~(?=[\\/])/, () => homedir());
  const bytes = await readFile(resolve(plain)).catch((error: NodeJS.ErrnoException) => {
    if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes(error.code ?? '')) return undefined;
    throw new Error(`${plain} cannot be read: ${error.message}`);
  });
  if (bytes && bytes.byteLength > MAX_BYTES) throw new Error(`${plain} is larger than 100 MB`);
  return bytes?.toString('base64');
}
