import { describe, expect, it } from 'vitest';
import { parseCode } from './code-syntax.ts';

const usesOf = (code: string) => {
  const syntax = parseCode(code);
  if ('syntaxError' in syntax) throw new Error(syntax.syntaxError);
  return syntax.uses;
};

describe('parseCode', () => {
  it.each(['return 1', 'await null', 'for await (const x of y) z(x)', 'return await f()', ''])(
    'accepts `%s`, the body of an asynchronous function',
    (code) => expect(parseCode(code)).toHaveProperty('uses'),
  );

  it('finds the nodes that the code names', () => {
    expect(usesOf("return $('Start').first().json.a + $node['Middle'].json.b")).toEqual(
      expect.objectContaining({ nodes: new Set(['Start', 'Middle']) }),
    );
  });

  it('returns the same result for the same code', () => {
    expect(parseCode('return 77')).toBe(parseCode('return 77'));
  });

  it.each(['return [{;', 'const a = 1 const b = 2', 'a b', '[1 2]', "[1 'x']", 'return }'])(
    'reports the syntax error of `%s` as V8 does',
    (code) => {
      const AsyncFunction = (async () => {}).constructor as FunctionConstructor;
      let message = 'no error';
      try {
        new AsyncFunction(code);
      } catch (error) {
        ({ message } = error as Error);
      }
      expect(parseCode(code)).toEqual({ syntaxError: message });
    },
  );

  it.each(['return (1', 'if (a) {', 'a = '])('reports that `%s` ends too early', (code) => {
    expect(parseCode(code)).toEqual({ syntaxError: 'Unexpected end of input' });
  });

  it('reports other errors of the parser without a position', () => {
    expect(parseCode('const a = 1; const a = 2')).toEqual({
      syntaxError: "Identifier 'a' has already been declared",
    });
    expect(parseCode('return "x')).toEqual({ syntaxError: 'Unterminated string constant' });
  });
});
