/** Renders a page of a form. */
import { type FormField, type FormPage, nameOfField } from '../form-page.ts';
import { escapeHtml, formDocument, withoutScripts } from './document.ts';
import { FORM_SCRIPT } from './script.ts';

interface PageSettings {
  /** Values by the names of fields: the query of the address. */
  prefill: URLSearchParams;
  /** Permits a page behind a login to send its form. */
  token?: string;
  /** The page belongs to a waiting execution: the next page has the same address. */
  waiting: boolean;
}

/** The HTML of a page. */
export function renderPage(page: FormPage, { prefill, token, waiting }: PageSettings): string {
  const settings = {
    waiting,
    redirectUrl: /^https?:\/\//i.test(page.submitted.redirectUrl) ? page.submitted.redirectUrl : '',
    ...(token !== undefined && { token }),
  };
  const fields = page.fields.map((field, index) => renderField(field, `field-${index}`, prefill)).join('\n');
  const body = `<form class="card" id="form" method="POST" enctype="multipart/form-data" autocomplete="off">
<div id="form-card">
<div class="form-header">
<h1>${escapeHtml(page.title)}</h1>
${page.description === '' ? '' : `<p>${escapeHtml(page.description)}</p>`}
</div>
<div class="inputs-wrapper">
${fields}
</div>
<p class="error hidden" id="error-submit" role="alert"></p>
<button id="submit-btn" type="submit">${escapeHtml(page.button)}</button>
</div>
<div class="form-header hidden" id="submitted" role="status">
<p class="submitted-header">Form Submitted</p>
<p id="submitted-text">${escapeHtml(page.submitted.text)}</p>
</div>
</form>
<script type="application/json" id="form-settings">${JSON.stringify(settings).replaceAll('<', '\\u003c')}</script>
<script>${FORM_SCRIPT}</script>`;
  return formDocument({ title: page.title, css: page.css, body, attribution: page.attribution });
}

function renderField(field: FormField, id: string, prefill: URLSearchParams): string {
  const prefilled = prefill.get(nameOfField(field));
  const value = prefilled ?? field.defaultValue;
  switch (field.fieldType) {
    case 'hiddenField':
      return `<input type="hidden" id="${id}" name="${id}" value="${escapeHtml(prefilled ?? field.fieldValue)}">`;
    case 'html':
      return `<div class="form-group">${withoutScripts(field.html)}</div>
<input type="hidden" id="${id}" name="${id}" value="" disabled>`;
    case 'checkbox':
    case 'radio':
      return renderChoices(field, id, value);
    case 'dropdown':
      return field.multiselect
        ? renderChoices(field, id, value)
        : labeled(field, id, renderSelect(field, id, value));
    case 'textarea': {
      const attributes = attributesOf(field, id);
      return labeled(field, id, `<textarea class="form-input" ${attributes}>${escapeHtml(value)}</textarea>`);
    }
    case 'file':
      return labeled(field, id, renderFile(field, id));
    default: {
      const type = INPUT_TYPES[field.fieldType] ?? 'text';
      const step = type === 'number' ? ' step="any"' : '';
      const attributes = attributesOf(field, id);
      return labeled(
        field,
        id,
        `<input class="form-input" type="${type}" ${attributes} value="${escapeHtml(value)}"${step}>`,
      );
    }
  }
}

const INPUT_TYPES: Record<string, string> = {
  date: 'date',
  email: 'email',
  number: 'number',
  password: 'password',
};

function attributesOf({ placeholder, requiredField }: FormField, id: string): string {
  const hint = placeholder === '' ? '' : ` placeholder="${escapeHtml(placeholder)}"`;
  return `id="${id}" name="${id}"${hint}${requiredField ? ' required' : ''}`;
}

function labeled(field: FormField, id: string, input: string): string {
  const required = field.requiredField ? ' form-required' : '';
  const label = escapeHtml(field.fieldLabel || field.fieldName);
  return `<div class="form-group"><label class="form-label${required}" for="${id}">${label}</label>
${input}</div>`;
}

function renderSelect(field: FormField, id: string, value: string): string {
  const options = field.options.map((option) => {
    const text = escapeHtml(option);
    return `<option value="${text}"${option === value ? ' selected' : ''}>${text}</option>`;
  });
  const none = '<option value="">Select an option ...</option>';
  return `<select class="form-input" ${attributesOf(field, id)}>${none}${options.join('')}</select>`;
}

/** Boxes to tick. The script sends those that are ticked as one list. */
function renderChoices(field: FormField, id: string, value: string): string {
  const { fieldType, minSelections, maxSelections, requiredField } = field;
  const type = fieldType === 'radio' ? 'radio' : 'checkbox';
  const chosen = value.split(',').map((part) => part.trim());
  const boxes = field.options.map((option, index) => {
    const text = escapeHtml(option);
    const checked = chosen.includes(option) ? ' checked' : '';
    const box = `${id}-option-${index}`;
    return `<div class="${type === 'radio' ? 'radio' : 'multiselect'}-option">
<input type="${type}" id="${box}" name="${id}" value="${text}"${checked}> <label for="${box}">${text}</label></div>`;
  });
  const limits = [
    minSelections === undefined ? '' : ` data-min="${minSelections}"`,
    maxSelections === undefined ? '' : ` data-max="${maxSelections}"`,
  ].join('');
  const required = requiredField ? ' class="form-required"' : '';
  const label = escapeHtml(field.fieldLabel || field.fieldName);
  return `<fieldset class="form-group" data-choices="${id}" data-required="${requiredField}"${limits}>
<legend${required}>${label}</legend>${boxes.join('\n')}</fieldset>`;
}

function renderFile(field: FormField, id: string): string {
  const accept = field.acceptFileTypes === '' ? '' : ` accept="${escapeHtml(field.acceptFileTypes)}"`;
  const several = field.multipleFiles ? ' multiple' : '';
  const input = `<input class="form-input" type="file" ${attributesOf(field, id)}${accept}${several}>`;
  const clear = `<button type="button" class="clear-button" data-clears="${id}" title="Remove the file">&times;</button>`;
  return `<div class="file-input-wrapper">${input}${clear}</div>`;
}
