/** Gives fields other names. */

import { isObject } from '#core/base';
import { deletePath, getPath, isForbiddenKey, type JsonObject, setPath } from '#core/workflow-format';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { perItem } from '../../node-api/per-item.ts';
import { collection, fixedCollectionList, flag, group, number, text } from '../shared/parameters.ts';

interface Key {
  currentKey?: string;
  newKey?: string;
}

interface Replacement {
  searchRegex?: string;
  replaceRegex?: string;
  options?: { caseInsensitive?: boolean; depth?: number };
}

export const renameKeys: NodeType = {
  name: 'n8n-nodes-base.renameKeys',
  label: 'Rename Keys',
  description: 'Gives fields other names.',
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
            description: 'A field inside of an object: `level1.level2`.',
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
                  number('depth', 'Max Depth', -1, { description: '-1 = however deep, 0 = top level only.' }),
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
      const keys = (await context.parameter<Key[]>('keys.key', index, [])) ?? [];
      const path = 'additionalOptions.regexReplacement.replacements';
      const replacements = (await context.parameter<Replacement[]>(path, index, [])) ?? [];
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
        const pattern = patternOf(searchRegex, options.caseInsensitive === true);
        json = renamed(json, pattern, replaceRegex, options.depth ?? -1) as JsonObject;
      }
      return { ...item, json, pairedItem: { item: index } };
    }),
};

function patternOf(source: string, anyCase: boolean): RegExp {
  try {
    return new RegExp(source, anyCase ? 'gi' : 'g');
  } catch (cause) {
    throw new NodeError(`Invalid regular expression: ${source}`, { cause });
  }
}

function renamed(value: unknown, pattern: RegExp, replacement: string, depth: number): unknown {
  if (Array.isArray(value)) {
    return depth === 0 ? value : value.map((one) => renamed(one, pattern, replacement, depth - 1));
  }
  if (!isObject(value)) return value;
  const made: JsonObject = {};
  for (const [key, inner] of Object.entries(value)) {
    const name = key.replace(pattern, replacement);
    const kept = depth === 0 ? inner : renamed(inner, pattern, replacement, depth - 1);
    made[isForbiddenKey(name) ? key : name] = kept;
  }
  return made;
}
