/** The files of workflows: a folder of this installation, which a setting names. */
import type { FileInfo, Files } from '#core/host';
import { textSetting } from '#core/settings';
import type { NodeContext } from '#core/webhooks/node-api/node-context.ts';
import { NodeError } from '#core/webhooks/node-api/node-error.ts';

/** Files that one pattern may name. */
const MAX_FILES = 1000;

/** The path in the tree of files. Leading slashes are dropped. @throws NodeError for a path that leads out of it */
export function pathInFolder(context: NodeContext, path: string, itemIndex: number): string {
  const parts = path
    .replace(/^(file:\/\/|[A-Za-z]:)?[\\/]+/, '')
    .split(/[\\/]+/)
    .filter((part) => part !== '.');
  if (parts.some((part) => part === '..' || part === '' || part.includes('\0'))) {
    throw new NodeError(`Access to the file is not allowed: ${JSON.stringify(path)}`, {
      description: `Paths lie inside the folder "${folderOf(context)}" of this server.`,
      itemIndex,
    });
  }
  return [folderOf(context), ...parts].join('/');
}

/** The folder, from the root of this installation's files. */
function folderOf(context: NodeContext): string {
  const name = textSetting(context, 'TABD_WORKFLOW_FILES').replace(/^\/+|\/+$/g, '');
  return name === '' || /(^|\/)\.\.?(\/|$)/.test(name) ? 'workflow-files' : name;
}

/** The files that a pattern names, ordered by path: `*` is a part of a name, `**` any folders. */
export async function findFiles(
  context: NodeContext,
  selector: string,
  itemIndex: number,
): Promise<FileInfo[]> {
  const path = pathInFolder(context, selector, itemIndex);
  const { localFiles } = context;
  if (!/[*?{[]/.test(selector)) {
    const info = await localFiles.stat(path);
    return info?.kind === 'file' ? [info] : [];
  }
  const pattern = globPattern(path);
  const fixed = path.slice(0, path.search(/[*?{[]/)).replace(/\/?[^/]*$/, '');
  const found: FileInfo[] = [];
  await walk(localFiles, fixed, async (file) => {
    if (pattern.test(file.path)) found.push(file);
    if (found.length > MAX_FILES) {
      throw new NodeError(`The pattern ${JSON.stringify(selector)} names more than ${MAX_FILES} files`, {
        itemIndex,
      });
    }
  });
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function walk(files: Files, folder: string, visit: (file: FileInfo) => Promise<void>): Promise<void> {
  for (const entry of (await files.list(folder)) ?? []) {
    if (entry.kind === 'folder') await walk(files, entry.path, visit);
    else await visit(entry);
  }
}

function globPattern(path: string): RegExp {
  const source = path.replace(/\*\*\/?|\*|\?|\{[^}]*\}|[.+^$()|[\]\\{}]/g, (token) => {
    if (token.startsWith('**')) return '(?:.*/)?';
    if (token === '*') return '[^/]*';
    if (token === '?') return '[^/]';
    if (token.length > 1 && token.startsWith('{')) {
      const choices = token
        .slice(1, -1)
        .split(',')
        .map((choice) => choice.replace(/[.+^$()|[\]\\*?]/g, '\\$&'));
      return `(?:${choices.join('|')})`;
    }
    return `\\${token}`;
  });
  return new RegExp(`^${source}$`);
}
