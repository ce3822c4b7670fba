import { expect, it } from 'vitest';
import { missingModules, pythonUses } from './python-uses.ts';

const uses = (more: object) => ({ items: false, nodes: new Set(), matching: false, ...more });

it.each<[string, object]>([
  ['return _json', uses({})],
  ['return _items', uses({ items: true })],
  ['return _input.all()', uses({ items: true })],
  ['return items', uses({ items: true })],
  ['return my_items', uses({})],
  ['return _("A").first()', uses({ nodes: new Set(['A']) })],
  ['x = _( \'A b\' ).all() + _("C").all()', uses({ nodes: new Set(['A b', 'C']) })],
  ['return _("A").itemMatching(1)', uses({ nodes: new Set(['A']), matching: true })],
  ['return _(name)', uses({ nodes: 'all' })],
  ['return _("A" + b)', uses({ nodes: 'all' })],
  ['return _("A\\"")', uses({ nodes: 'all' })],
  ['return list(map(_, names))', uses({ nodes: 'all' })],
  ['for _ in range(3): pass', uses({})],
  ['a, _ = f()', uses({})],
  ['return x._(1)', uses({})],
])('%j', (code, expected) => expect(pythonUses(code)).toEqual(expected));

it.each<[string, string[]]>([
  ['import json, re\nfrom datetime import datetime', []],
  ['import numpy as np', ['numpy']],
  [
    'def f():\n  import pandas, json, requests as r\n  from bs4.element import Tag',
    ['pandas', 'requests', 'bs4'],
  ],
  ['import os.path\nimport yaml\nimport yaml', ['yaml']],
  ['# import numpy\nimportant = 1', []],
])('%j misses %j', (code, names) => expect(missingModules(code)).toEqual(names));
