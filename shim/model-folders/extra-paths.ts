/** Reads `extra_model_paths.yaml`, in which ComfyUI lists further folders of models by kind. */
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, resolve } from 'node:path';
import { parseDocument } from 'yaml';
import { UsageError } from '../base/usage-error.ts';

/** A folder that such a file names. */
export interface ExtraPath {
  section: string;
  /** `loras`; also older names such as `unet`, and names that tabd does not know. */
  kind: string;
  /** Absolute. It may be missing. */
  folder: string;
  isDefault: boolean;
}

/** @throws UsageError when the file is missing, is not YAML, or has another form. */
export async function readExtraPaths(file: string, env: NodeJS.ProcessEnv): Promise<ExtraPath[]> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`the list of model folders cannot be read: ${(error as Error).message}`);
  }
  return parseExtraPaths(text, resolve(file), env);
}

/**
 * @param file absolute; paths without `base_path` are relative to its folder
 * @throws UsageError
 */
export function parseExtraPaths(text: string, file: string, env: NodeJS.ProcessEnv): ExtraPath[] {
  // All values stay text, so that no folder or section becomes a number. The last of two equal keys counts.
  const document = parseDocument(text, { schema: 'failsafe', uniqueKeys: false });
  const [error] = document.errors;
  if (error) throw new UsageError(`${file} is not YAML: ${error.message.trim()}`);
  const sections: unknown = document.toJS();
  if (isNothing(sections)) return [];
  if (!isMapping(sections)) throw new UsageError(`${file} has no sections: write NAME: and folders below it`);
  return Object.entries(sections).flatMap(([section, content]) => {
    if (isNothing(content)) return [];
    if (!isMapping(content))
      throw new UsageError(
        `${file}: the section ${section} is not a list of folders such as loras: models/loras`,
      );
    return pathsOf(section, content, file, env);
  });
}

function pathsOf(
  section: string,
  { base_path: base, is_default: isDefault, ...kinds }: Record<string, unknown>,
  file: string,
  env: NodeJS.ProcessEnv,
): ExtraPath[] {
  if (base !== undefined && typeof base !== 'string')
    throw new UsageError(`${file}: base_path of the section ${section} is not a path`);
  const root = resolve(dirname(file), base === undefined ? '' : expandPath(base.trim(), env));
  return Object.entries(kinds).flatMap(([kind, value]) => {
    if (kind === '' || /[/\\\0]|^\.\.?$/.test(kind))
      throw new UsageError(`${file}: ${section} names the kind "${kind}", which is no name of a folder`);
    return linesOf(value, `${file}: ${kind} of the section ${section}`).map((path) => {
      const expanded = expandPath(path, env);
      const folder = isAbsolute(expanded) ? resolve(expanded) : resolve(root, expanded);
      return { section, kind, folder, isDefault: isTrue(isDefault) };
    });
  });
}

/** One path a line. ComfyUI's own example has comments on such lines, although YAML sees none there. */
function linesOf(value: unknown, where: string): string[] {
  const values: unknown[] = Array.isArray(value) ? value : [value ?? ''];
  return values.flatMap((each) => {
    if (typeof each !== 'string') throw new UsageError(`${where} is neither a path nor a path on each line`);
    return each
      .split('\n')
      .map((line) => line.replace(/(^|\s+)#.*$/, '').trim())
      .filter((line) => line !== '');
  });
}

/** Replaces `~`, `$NAME`, `${NAME}`, and `%NAME%` on Windows. Unset variables stay as they are. */
export function expandPath(
  path: string,
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): string {
  const user = env.HOME || env.USERPROFILE || homedir();
  const withHome = path.replace(/^~(?=$|[/\\])/, () => user);
  const withNames = withHome.replace(
    /\$(?:\{(\w+)\}|(\w+))/g,
    (found, braced: string | undefined, bare: string | undefined) => env[(braced ?? bare)!] ?? found,
  );
  return platform === 'win32'
    ? withNames.replace(/%(\w+)%/g, (found, name: string) => env[name] ?? found)
    : withNames;
}

const isNothing = (value: unknown) => value === null || value === undefined || value === '';

/** The words of YAML 1.1, which the real system reads. */
const isTrue = (value: unknown) => /^(true|yes|on)$/i.test(String(value));

const isMapping = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
