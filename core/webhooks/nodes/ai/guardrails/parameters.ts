/** The parameters of the Guardrails node. */
import type { Parameter } from '#core/workflow-format';
import {
  choice,
  collection,
  fixedCollection,
  fixedCollectionList,
  flag,
  group,
  multiChoice,
  number,
  text,
} from '../../shared/parameters.ts';
import personalData from './personal-data.json' with { type: 'json' };
import prompts from './prompts.json' with { type: 'json' };

const CLASSIFIES = { '/operation': ['classify'] };
const threshold = number('threshold', 'Threshold', 0.7, { minimum: 0, maximum: 1 });
const SCHEMES = ['https', 'http', 'ftp', 'data', 'javascript', 'vbscript', 'mailto'];

const modelRule = (name: 'jailbreak' | 'nsfw', label: string): Parameter =>
  fixedCollection(name, label, {
    default: { value: { threshold: 0.7 } },
    show: CLASSIFIES,
    groups: [
      group('value', label, [
        threshold,
        flag('customizePrompt', 'Customize Prompt'),
        text('prompt', 'Prompt', {
          default: prompts[name],
          rows: 6,
          show: { customizePrompt: [true] },
        }),
      ]),
    ],
  });

export const parameters: Parameter[] = [
  choice('operation', 'Operation', 'classify', {
    literal: true,
    options: { classify: 'Check Text for Violations', sanitize: 'Sanitize Text' },
  }),
  text('text', 'Text To Check', { required: true }),
  collection('guardrails', 'Guardrails', {
    fields: [
      text('keywords', 'Keywords', { show: CLASSIFIES, description: 'Separated by commas.' }),
      modelRule('jailbreak', 'Jailbreak'),
      modelRule('nsfw', 'NSFW'),
      fixedCollection('pii', 'Personal Data (PII)', {
        default: { value: { type: 'all' } },
        groups: [
          group('value', 'Personal Data', [
            choice('type', 'Type', 'all', { options: { all: 'All', selected: 'Selected' } }),
            multiChoice('entities', 'Entities', [], {
              options: Object.keys(personalData),
              show: { type: ['selected'] },
            }),
          ]),
        ],
      }),
      fixedCollection('secretKeys', 'Secret Keys', {
        default: { value: { permissiveness: 'balanced' } },
        groups: [
          group('value', 'Secret Keys', [
            choice('permissiveness', 'Permissiveness', 'balanced', {
              options: { strict: 'Strict', balanced: 'Balanced', permissive: 'Permissive' },
            }),
          ]),
        ],
      }),
      fixedCollection('topicalAlignment', 'Topical Alignment', {
        default: { value: { threshold: 0.7 } },
        show: CLASSIFIES,
        groups: [
          group('value', 'Topical Alignment', [
            threshold,
            text('prompt', 'Prompt', { default: prompts.topicalAlignment, rows: 6 }),
          ]),
        ],
      }),
      fixedCollection('urls', 'URLs', {
        default: { value: { allowedSchemes: ['https'], allowedUrls: '' } },
        groups: [
          group('value', 'URLs', [
            text('allowedUrls', 'Block All URLs Except', { description: 'Separated by commas.' }),
            multiChoice('allowedSchemes', 'Allowed Schemes', ['https'], { options: SCHEMES }),
            flag('blockUserinfo', 'Block Userinfo', { default: true }),
            flag('allowSubdomains', 'Allow Subdomains', { default: true }),
          ]),
        ],
      }),
      fixedCollectionList('custom', 'Custom', {
        default: { guardrail: [{ name: 'Custom Guardrail' }] },
        show: CLASSIFIES,
        groups: [
          group('guardrail', 'Custom Guardrail', [
            text('name', 'Name'),
            threshold,
            text('prompt', 'Prompt', { rows: 6 }),
          ]),
        ],
      }),
      fixedCollectionList('customRegex', 'Custom Regex', {
        groups: [group('regex', 'Regex', [text('name', 'Name'), text('value', 'Regex')])],
      }),
    ],
  }),
  flag('customizeSystemMessage', 'Customize System Message', { show: { operation: ['classify'] } }),
  text('systemMessage', 'System Message', {
    default: prompts.rules,
    rows: 6,
    show: { operation: ['classify'], customizeSystemMessage: [true] },
  }),
];
