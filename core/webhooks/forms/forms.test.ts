import { expect, it } from 'vitest';
import { MAX_FIELDS, readFormFields } from './form-page.ts';
import { withoutScripts } from './render/document.ts';
import { renderPage } from './render/page.ts';
import { submittedItem } from './submission.ts';

const page = (values: unknown[]) => ({
  kind: 'page' as const,
  title: 'T',
  description: 'D',
  button: 'B',
  fields: readFormFields(values),
  css: '',
  attribution: false,
  submitted: { text: 'S', redirectUrl: 'javascript:alert(1)' },
  localTime: true,
});
const html = (values: unknown[], query = '') =>
  renderPage(page(values), { prefill: new URLSearchParams(query), waiting: false });

it.each([
  [
    { fieldLabel: 'A', fieldType: 'number', placeholder: 'p' },
    'type="number" id="field-0" name="field-0" placeholder="p"',
  ],
  [{ fieldLabel: 'A', fieldType: 'textarea', defaultValue: '<x>' }, '>&#60;x&#62;</textarea>'],
  [
    { fieldLabel: 'A', fieldType: 'dropdown', fieldOptions: { values: [{ option: 'o' }] } },
    '<option value="o">o</option>',
  ],
  [{ fieldLabel: 'A', fieldType: 'file', acceptFileTypes: '.png' }, 'accept=".png" multiple'],
  [
    { fieldLabel: 'A', fieldType: 'checkbox', limitSelection: 'range', minSelections: 1, maxSelections: 2 },
    'data-choices="field-0" data-required="false" data-min="1" data-max="2"',
  ],
  [{ fieldType: 'html', html: '<b onclick=x>h</b><script>1</script>' }, '<b>h</b></div>'],
  [{ fieldLabel: 'A', fieldType: 'unknown' }, 'type="text"'],
])('%j is rendered', (field, expected) => expect(html([field])).toContain(expected));

it('takes values from the address by the names of fields', () => {
  const fields = [
    { fieldLabel: 'Label', fieldName: 'own' },
    { fieldLabel: 'C', fieldType: 'radio', fieldOptions: { values: [{ option: 'x' }, { option: 'y' }] } },
  ];
  const text = html(fields, 'own=1&C=y');
  expect(text).toContain('value="1"');
  expect(text).toContain('value="y" checked');
  expect(text).toContain('"redirectUrl":""');
});

it.each([
  ['<a href="javascript:x()">a</a>', '<a >a</a>'],
  ['<img src=x onerror="alert(1)">', '<img src=x>'],
  ['a<iframe src="x"></iframe><style>b{}</style>c', 'ac'],
])('%s is made safe', (source, expected) => expect(withoutScripts(source)).toBe(expected));

it('refuses fields without end, and what is none', () => {
  expect(readFormFields(Array(MAX_FIELDS + 5).fill({ fieldLabel: 'x' }))).toHaveLength(MAX_FIELDS);
  expect(readFormFields(['x', null, 5])).toEqual([]);
  expect(readFormFields('x')).toEqual([]);
});

it('makes an item of what was sent', () => {
  const fields = [
    { fieldLabel: 'N', fieldType: 'number' },
    { fieldLabel: 'M', fieldType: 'dropdown', multiselect: true },
    { fieldLabel: 'R', fieldType: 'radio' },
    { fieldType: 'html', elementName: 'el' },
    { fieldLabel: 'My files', fieldType: 'file' },
    { fieldLabel: '__proto__' },
  ];
  const values = new Map([
    ['field-0', ['x']],
    ['field-1', ['a', 'b']],
    ['field-2', ['["r"]']],
    ['field-3', ['v']],
    ['field-5', ['p']],
  ]);
  const file = { mimeType: 'text/plain', fileName: 'f', bytes: 1, data: '' };
  const body = { values, files: new Map([['field-4', [file, file]]]) } as never;
  const item = submittedItem(body, { page: page(fields), now: 0, timezone: 'Asia/Tokyo', test: true });
  expect(JSON.stringify(item.json)).toBe(
    '{"N":null,"M":["a","b"],"R":"r","el":"v","My files":[{"filename":"f","mimetype":"text/plain","size":1},' +
      '{"filename":"f","mimetype":"text/plain","size":1}],"__proto__":"p",' +
      '"submittedAt":"1970-01-01T09:00:00.000+09:00","formMode":"test"}',
  );
  expect(Object.keys(item.binary!)).toEqual(['My_files_0', 'My_files_1']);
});
