/** Renames fields. */

import { isObject } from '#core/base';
import { deletePath, getPath, isForbiddenKey, type JsonObject, setPath } from '#core/workflow-format';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { perItem } from '../../node-api/per-item.ts';
import { collection, fixedCollectionList, flag, group, number, text } from '../shared/parameters.ts';

interface RenamedKey {
  currentKey?: string;
  newKey?: string;
}

interface RegexReplacement {
  searchRegex?: string;
  replaceRegex?: string;
  options?: { caseInsensitive?: boolean; depth?: number };
}

export const renameKeys: NodeType = {
  name: 'n8n-nodes-base.renameKeys',
  label: 'Rename Keys',
  description: 'Renames fields.',
  group: 'data',
  versions: [1],
  inputs: 1,
  outputs: ['main'],
  parameters: [
    fixedCollectionList('keys', 'Keys', {
      groups: [
        group('key', 'Key', [
          text('currentKey', 'Current Key Name', {
            placeholder: 'currentKey',
            description: 'For a field in an object: `level1.level2`.',
          }),
          text('newKey', 'New Key Name', { placeholder: 'newKey' }),
        ]),
      ],
    }),
    collection('additionalOptions', 'Additional Options', {
      fields: [
        fixedCollectionList('regexReplacement', 'Regex', {
          groups: [
            group('replacements', 'Replacement', [
              text('searchRegex', 'Regular Expression'),
              text('replaceRegex', 'Replace With'),
              collection('options', 'Regex Options', {
                fields: [
                  flag('caseInsensitive', 'Case Insensitive'),
                  number('depth', 'Max Depth', -1, { description: '-1 = no limit, 0 = top level only.' }),
                ],
              }),
            ]),
          ],
        }),
      ],
    }),
  ],
  execute: (context) =>
    perItem(context, async (item, index) => {
      const keys = (await context.parameter<RenamedKey[]>('keys.key', index, [])) ?? [];
      const path = 'additionalOptions.regexReplacement.replacements';
      const replacements = (await context.parameter<RegexReplacement[]>(path, index, [])) ?? [];
      let json: JsonObject = structuredClone(item.json);
      for (const { currentKey, newKey } of keys) {
        if (!currentKey || !newKey || currentKey === newKey) continue;
        const value = getPath(json, currentKey);
        if (value === undefined) continue;
        deletePath(json, currentKey);
        setPath(json, newKey, value);
      }
      for (const { searchRegex, replaceRegex = '', options = {} } of replacements) {
        if (!searchRegex) continue;
        const pattern = compilePattern(searchRegex, options.caseInsensitive === true);
        json = renameMatches(json, pattern, replaceRegex, options.depth ?? -1) as JsonObject;
      }
      return { ...item, json, pairedItem: { item: index } };
    }),
};

function compilePattern(source: string, ignoreCase: boolean): RegExp {
  try {
    return new RegExp(source, ignoreCase ? 'gi' : 'g');
  } catch (cause) {
    throw new NodeError(`Invalid regular expression: ${source}`, { cause });
  }
}

/** @param depth how many levels below this one are renamed; a negative depth never reaches 0 and renames all */
function renameMatches(value: unknown, pattern: RegExp, replacement: string, depth: number): unknown {
  if (depth === 0 && Array.isArray(value)) return value;
  const renameInner = (inner: unknown) =>
    depth === 0 ? inner : renameMatches(inner, pattern, replacement, depth - 1);
  if (Array.isArray(value)) return value.map(renameInner);
  if (!isObject(value)) return value;
  const renamed: JsonObject = {};
  for (const [key, inner] of Object.entries(value)) {
    const name = key.replace(pattern, replacement);
    renamed[isForbiddenKey(name) ? key : name] = renameInner(inner);
  }
  return renamed;
}
