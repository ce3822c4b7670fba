import { parse } from 'acorn';
import { describe, expect, it } from 'vitest';
import { compile, type ScriptProgram, usesOf } from './compile.ts';

const script = (code: string): ScriptProgram => {
  const program = compile(code);
  if (program.kind !== 'script') throw new Error(`${code} is compiled to ${program.kind}`);
  return program;
};

describe('the source of a program', () => {
  it.each([
    ['$json.a + 1', '(function () { return ($json.a + 1\n) })'],
    ['a + b.c + a', '(function (a, b) { return (a + b.c + a\n) })'],
    ['{ a: 1 }', '(function () { return ({ a: 1 }\n) })'],
    ['1 + 1; ignored()', '(function () { return (1 + 1\n) })'],
    ['x.first().y.toInt(2)', '(function (x) { return (x.__ext_first().y.__ext_toInt(2)\n) })'],
    ['x["first"]() + x.first', '(function (x) { return (x["first"]() + x.first\n) })'],
    ['({ first: 1, [k]: 2, s })', '(function (k, s) { return ({ first: 1, [k]: 2, s }\n) })'],
    ['Math.max(1) + fetch', '(function () { return (Math.__ext_max(1) + fetch\n) })'],
    ['1 + 2 // end', '(function () { return (1 + 2\n) })'],
  ])('of %s', (code, source) => {
    expect(script(code).source).toBe(source);
  });
});

describe('invalid expressions', () => {
  it.each(['', '1 +', 'let x = 1', 'if (a) b', '{ a; }', '//'])('are %j', (code) => {
    expect(compile(code)).toEqual({ kind: 'invalid', message: 'invalid syntax' });
  });

  it.each(['a.constructor', 'a["constructor"]()', 'a[`constructor`]', '(() => 1).constructor("x")()'])(
    'use a constructor: %s',
    (code) => {
      expect(compile(code)).toEqual({
        kind: 'invalid',
        message: 'Expression contains invalid constructor function call',
      });
    },
  );
});

describe('the data that a program needs', () => {
  it.each([
    ['$json.a + 1', { items: false, nodes: [], matching: false }],
    ['$input.all().length', { items: true, nodes: [], matching: false }],
    ["$('A').all() + $('B').first().x", { items: false, nodes: ['A', 'B'], matching: false }],
    ['$(`A`).all().length', { items: false, nodes: ['A'], matching: false }],
    ["$node['A'].parameter.x + $node.B.runIndex", { items: false, nodes: ['A', 'B'], matching: false }],
    ["$items('A').length", { items: true, nodes: ['A'], matching: false }],
    ['$items().length', { items: true, nodes: [], matching: false }],
    ["$('A').itemMatching(0).json", { items: false, nodes: ['A'], matching: true }],
    ['$($json.name).first()', { items: false, nodes: 'all', matching: false }],
    ['$item(0).$node["A"]', { items: true, nodes: 'all', matching: false }],
    ['$node', { items: false, nodes: 'all', matching: false }],
  ])('by %s', (code, uses) => {
    const found = script(code).uses;
    expect({ ...found, nodes: found.nodes === 'all' ? 'all' : [...found.nodes] }).toEqual(uses);
  });

  it('by the code of a node always includes the items', () => {
    const tree = parse("return $('A').first().json", {
      ecmaVersion: 'latest',
      allowReturnOutsideFunction: true,
    });
    expect(usesOf(tree)).toEqual({ items: true, nodes: new Set(['A']), matching: false });
  });
});

it('programs are cached by their source', () => {
  expect(compile('1 + 2')).toBe(compile('1 + 2'));
});
