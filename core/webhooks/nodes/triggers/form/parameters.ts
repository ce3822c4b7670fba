/** Parameters that forms have in common: those of the trigger, of further pages, and of a wait for a form. */
import type { Parameter, ShowConditions } from '#core/workflow-format';
import {
  choice,
  fixedCollection,
  fixedCollectionList,
  flag,
  group,
  number,
  text,
} from '../../shared/parameters.ts';

const FIELD_TYPES = {
  checkbox: 'Checkboxes',
  html: 'Custom HTML',
  date: 'Date',
  dropdown: 'Dropdown',
  email: 'Email',
  file: 'File',
  hiddenField: 'Hidden Field',
  number: 'Number',
  password: 'Password',
  radio: 'Radio Buttons',
  text: 'Text',
  textarea: 'Textarea',
};

const of = (...types: string[]): ShowConditions => ({ fieldType: types });

/** The elements of a form. */
export function formFieldsParameter(extras: Pick<Parameter, 'show'> = {}): Parameter {
  return fixedCollectionList('formFields', 'Form Elements', {
    ...extras,
    groups: [
      group('values', 'Element', [
        text('fieldLabel', 'Label', { hide: of('hiddenField', 'html') }),
        choice('fieldType', 'Element Type', 'text', { options: FIELD_TYPES }),
        text('fieldName', 'Field Name', { hide: of('html') }),
        text('elementName', 'Element Name', { show: of('html') }),
        text('placeholder', 'Placeholder', { show: of('email', 'number', 'password', 'text', 'textarea') }),
        text('defaultValue', 'Default Value', {
          show: of('text', 'number', 'email', 'textarea', 'date', 'dropdown', 'radio', 'checkbox'),
        }),
        text('fieldValue', 'Field Value', { show: of('hiddenField') }),
        fixedCollectionList('fieldOptions', 'Field Options', {
          default: { values: [{ option: '' }] },
          show: of('dropdown', 'checkbox', 'radio'),
          groups: [group('values', 'Option', [text('option', 'Option')])],
        }),
        flag('multiselect', 'Multiple Choice', { show: of('dropdown') }),
        choice('limitSelection', 'Limit Selection', 'unlimited', {
          show: of('checkbox'),
          options: { exact: 'Exact Number', range: 'Range', unlimited: 'Unlimited' },
        }),
        number('numberOfSelections', 'Number of Selections', 1, {
          show: { ...of('checkbox'), limitSelection: ['exact'] },
        }),
        number('minSelections', 'Minimum Selections', 0, {
          show: { ...of('checkbox'), limitSelection: ['range'] },
        }),
        number('maxSelections', 'Maximum Selections', 1, {
          show: { ...of('checkbox'), limitSelection: ['range'] },
        }),
        text('html', 'HTML', { rows: 5, show: of('html') }),
        flag('multipleFiles', 'Multiple Files', { default: true, show: of('file') }),
        text('acceptFileTypes', 'Accepted File Types', { placeholder: '.jpg, .png', show: of('file') }),
        flag('requiredField', 'Required Field', { hide: of('html', 'hiddenField') }),
      ]),
    ],
  });
}

/** Options of the page after the form was sent. */
export const submittedOptions: Parameter = fixedCollection('respondWithOptions', 'Form Response', {
  groups: [
    group('values', 'Values', [
      choice('respondWith', 'Respond With', 'text', {
        options: { text: 'Form Submitted Text', redirect: 'Redirect URL' },
      }),
      text('formSubmittedText', 'Text to Show', {
        default: 'Your response has been recorded',
        show: { respondWith: ['text'] },
      }),
      text('redirectUrl', 'URL to Redirect to', { show: { respondWith: ['redirect'] } }),
    ]),
  ],
});

export const buttonOption = text('buttonLabel', 'Button Label', { default: 'Submit' });
export const attributionOption = flag('appendAttribution', 'Append Attribution', { default: true });
export const cssOption = text('customCss', 'Custom Form Styling', { rows: 10 });
