/** JSON schemas of requests, converted to grammars. */
import { SchemaError, schemaGrammar } from '#core/local-models/prompting/grammar/json-schema-grammar.ts';
import { readGrammar } from '#test/support/local-models/gbnf.ts';
import { randomNumbers, randomSchema } from '#test/support/local-models/random-schema.ts';
import { fuzzTarget, textOf } from '../target.ts';

export default fuzzTarget({
  invariant: 'each grammar is complete: all its rules exist',
  seeds: () => [
    ...Array.from({ length: 20 }, (_, seed) => JSON.stringify(randomSchema(randomNumbers(seed)))),
    '{"type":"string","pattern":"^(a|b{2,3})[^c-e]+\\\\d$","minLength":3}',
    '{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[{"type":"null"},{"$ref":"#/$defs/a"}]}}}',
  ],
  refusals: [SchemaError, SyntaxError],
  maxTime: 3000,
  run(input) {
    const schema = JSON.parse(textOf(input)) as Record<string, unknown>;
    readGrammar(schemaGrammar(schema));
  },
});
