import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#core/workflow-format';
import { aiWorkflow, itemsOf, model, openAi } from '#test/support/webhooks/ai-workflow.ts';

const guard = (guardrails: JsonObject, more: JsonObject = {}, onError?: string) => ({
  type: 'guardrails',
  version: 2,
  parameters: { text: '={{ $json.text }}', guardrails, ...more },
  ...(onError && { onError }),
});

/** The items of both outputs, or the error. */
async function check(node: ReturnType<typeof guard>, texts: string[], answers: string[] = []) {
  const { run, models } = await openAi(answers.map((text) => ({ text })));
  const workflow = aiWorkflow({ Guard: node, ...(answers.length > 0 && { Model: model('Guard') }) });
  const result = await run(
    workflow,
    texts.map((text) => ({ text })),
  );
  return {
    passed: itemsOf(result, 'Guard'),
    failed: itemsOf(result, 'Guard', 1),
    error: result.error,
    requests: models.requests.map(({ body }) => body as { messages: { content: string }[] }),
  };
}

const sanitize = async (guardrails: JsonObject, text: string) => {
  const { passed } = await check(guard(guardrails, { operation: 'sanitize' }), [text]);
  return passed[0]?.guardrailsInput;
};

describe('keywords', () => {
  it.each([
    ['a bad word', ['bad']],
    ['BAD, bad', ['BAD']],
    ['badly', []],
    ['Überraschung', []],
    ['¡über!', ['über']],
    ['costs c++ nothing', ['c++']],
  ])('are found in "%s"', async (text, matchedKeywords) => {
    const { passed, failed } = await check(guard({ keywords: 'bad., über, c++' }), [text]);
    const triggered = matchedKeywords.length > 0;
    expect(triggered ? failed : passed).toEqual([
      { guardrailsInput: text, checks: [{ name: 'keywords', triggered, info: { matchedKeywords } }] },
    ]);
    expect(triggered ? passed : failed).toEqual([]);
  });
});

describe('personal data', () => {
  it.each([
    ['ann@example.com', '<EMAIL_ADDRESS>'],
    ['4111 1111 1111 1111', '<CREDIT_CARD>'],
    ['192.168.0.1', '<IP_ADDRESS>'],
    ['(555) 123-4567', '<PHONE_NUMBER>'],
    ['078-05-1120', '<US_SSN>'],
    ['QQ123456C', '<UK_NINO>'],
    ['12 Baker Street', '12 <LOCATION>'],
    ['nothing here', 'nothing here'],
  ])('%s becomes %s', async (text, hidden) => {
    expect(await sanitize({ pii: { value: { type: 'all' } } }, text)).toBe(hidden);
  });

  it('is limited to the selected kinds', async () => {
    const pii = { value: { type: 'selected', entities: ['IP_ADDRESS'] } };
    expect(await sanitize({ pii }, 'ann@example.com at 10.0.0.1')).toBe('ann@example.com at <IP_ADDRESS>');
    const { failed } = await check(guard({ pii }), ['10.0.0.1']);
    const info = { analyzerResults: [{ entityType: 'IP_ADDRESS', text: '10.0.0.1' }] };
    expect(failed).toMatchObject([{ checks: [{ name: 'personalData', triggered: true, info }] }]);
  });

  it('is found in long texts without a long search', async () => {
    const pii = { value: { type: 'all' } };
    for (const part of ['a-', 'a.', 'a ', '1', ' ']) {
      expect(
        await sanitize({ pii, urls: { value: {} }, secretKeys: { value: {} } }, part.repeat(50_000)),
      ).toBeDefined();
    }
  });
});

describe('secret keys', () => {
  it.each([
    ['strict', 'abcdefgh12', true],
    ['balanced', 'abcdefgh12', false],
    ['balanced', 'sk-1', true],
    ['balanced', 'sk-', false],
    ['balanced', 'aB3$xY9!kLm2Qw7z', true],
    ['balanced', 'https://example.com/some/Page_17', false],
    ['strict', 'ReportOf2024.final.pdf', true],
    ['permissive', 'aB3$xY9!kLm2Qw7z', false],
  ])('by %s: %s is %s', async (permissiveness, word, isSecret) => {
    const hidden = await sanitize({ secretKeys: { value: { permissiveness } } }, `is ${word} it`);
    expect(hidden).toBe(isSecret ? 'is <SECRET> it' : `is ${word} it`);
  });
});

describe('addresses', () => {
  const urls = (value: JsonObject) => ({ urls: { value: { allowedSchemes: ['https', 'http'], ...value } } });
  it.each([
    [{ allowedUrls: 'example.com' }, 'see https://example.com/a.', []],
    [{ allowedUrls: 'example.com' }, 'see https://www.sub.example.com', []],
    [{ allowedUrls: 'example.com', allowSubdomains: false }, 'https://a.example.com', ['Not in allow list']],
    [{ allowedUrls: 'example.com' }, 'https://notexample.com', ['Not in allow list']],
    [
      { allowedUrls: 'https://example.com/docs' },
      'https://example.com/docs/1 https://example.com/x',
      ['Not in allow list'],
    ],
    [{ allowedUrls: '10.0.0.0/8' }, 'http://10.1.2.3/x 11.0.0.1', ['Not in allow list']],
    [
      { allowedUrls: 'example.com' },
      'https://u:p@example.com',
      ['Contains userinfo (potential credential injection)'],
    ],
    [{ allowedUrls: 'example.com', blockUserinfo: false }, 'https://u:p@example.com', []],
    [{ allowedUrls: 'example.com' }, 'javascript:alert(1)', ['Blocked scheme: javascript']],
    [{ allowedUrls: 'example.com' }, 'example.com and https://example.com', []],
    [{ allowedUrls: '', allowedSchemes: ['https'] }, 'go to example.org/x', ['Blocked scheme: http']],
  ])('by %j: %s', async (value, text, reasons) => {
    const { passed, failed } = await check(guard(urls(value)), [text]);
    const [item] = reasons.length > 0 ? failed : passed;
    const [{ info }] = item!.checks as [{ info: { blockedReasons: string[] } }];
    expect(info.blockedReasons.map((reason) => reason.replace(/^\S+: /, ''))).toEqual(reasons);
  });
});

describe('own expressions', () => {
  const regex = (value: string) => ({ customRegex: { regex: [{ name: 'ORDER', value }] } });
  it('hide what they match', async () => {
    expect(await sanitize(regex('/ord-\\d+/i'), 'Is ORD-17 or ord-2 there?')).toBe(
      'Is <ORDER> or <ORDER> there?',
    );
    expect(await sanitize(regex('x*'), 'axx')).toBe('a<ORDER>');
  });

  it('report an invalid expression, and one that takes too long', async () => {
    const { error } = await check(guard(regex('('), { operation: 'sanitize' }), ['x']);
    expect(error).toMatchObject({
      message: 'Failed to sanitize text',
      description: expect.stringMatching(/^Failed checks:\ncustomRegex - /),
    });
    const slow = await check(guard(regex('(a+)+b'), { operation: 'sanitize' }), ['a'.repeat(60)]);
    expect(slow.error).toMatchObject({ message: 'Failed to sanitize text' });
  }, 60_000);
});

describe('rules of a model', () => {
  const answer = (confidenceScore: number, flagged: boolean) => JSON.stringify({ confidenceScore, flagged });
  const rules = {
    jailbreak: { value: { threshold: 0.7 } },
    custom: { guardrail: [{ name: 'Polite', threshold: 0.5, prompt: 'Flag rude texts.' }] },
  };

  it('ask the model once for each rule, after the checks of the text', async () => {
    const node = guard({ ...rules, pii: { value: { type: 'all' } } });
    const { passed, failed, requests } = await check(
      node,
      ['hello', 'ann@example.com'],
      [answer(0.1, false), '```json\n{"confidenceScore":0.4,"flagged":true}\n```'],
    );
    expect(passed).toMatchObject([
      {
        guardrailsInput: 'hello',
        checks: [
          { name: 'personalData', triggered: false },
          { name: 'jailbreak', triggered: false, confidenceScore: 0.1 },
          // Flagged, but below the threshold.
          { name: 'Polite', triggered: false, confidenceScore: 0.4 },
        ],
      },
    ]);
    expect(failed).toMatchObject([{ checks: [{ name: 'personalData', triggered: true }] }]);
    expect(requests).toHaveLength(2);
    const [system, user] = requests[1]!.messages;
    expect(system!.content).toMatch(/^Flag rude texts\.[\s\S]*"confidenceScore"/);
    expect(user!.content).toBe('hello');
  });

  it('take a system message of the workflow', async () => {
    const more = { customizeSystemMessage: true, systemMessage: 'Only JSON.' };
    const { failed, requests } = await check(
      guard({ nsfw: { value: {} } }, more),
      ['x'],
      [answer(0.9, true)],
    );
    expect(failed).toMatchObject([
      { checks: [{ name: 'nsfw', triggered: true, confidenceScore: 0.9, executionFailed: false }] },
    ]);
    expect(requests[0]!.messages[0]!.content).toMatch(/\n\nOnly JSON\.$/);
  });

  it('fail with an answer of another form, or count as triggered when the node continues', async () => {
    const bad = await check(guard({ nsfw: { value: {} } }), ['x'], ['I cannot say']);
    expect(bad.error).toMatchObject({ message: 'Failed to parse output' });
    const node = guard({ nsfw: { value: {} } }, {}, 'continueRegularOutput');
    expect((await check(node, ['x'], ['I cannot say'])).failed).toMatchObject([
      {
        checks: [
          {
            name: 'nsfw',
            triggered: true,
            executionFailed: true,
            exception: { description: 'Failed to parse output' },
          },
        ],
      },
    ]);
  });

  it('need a model only where a rule asks it', async () => {
    const { error } = await check(guard({ nsfw: { value: {} } }), ['x']);
    expect(error?.message).toContain('Model');
    expect((await check(guard({ keywords: 'a' }), ['x'])).error).toBeUndefined();
  });
});
