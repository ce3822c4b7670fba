/** The style of form pages. Its variables and classes have the names that authors of custom CSS know. */
export const FORM_STYLE = `
:root {
  --font-family: system-ui, sans-serif;
  --font-weight-normal: 400;
  --font-weight-bold: 600;
  --font-size-body: 14px;
  --font-size-label: 14px;
  --font-size-header: 20px;
  --color-background: #fbfcfe;
  --color-card-bg: #ffffff;
  --color-card-border: #dbdfe7;
  --color-header: #3a3f4a;
  --color-label: #4c5260;
  --color-input-border: #8d94a3;
  --color-input-text: #33373f;
  --color-focus-border: #4a5fc1;
  --color-submit-btn-bg: #3b4fb0;
  --color-submit-btn-text: #ffffff;
  --color-error: #c02626;
  --color-required: #c02626;
  --padding-container-top: 24px;
  --padding-card: 24px;
  --container-width: 448px;
  --border-radius-card: 8px;
  --border-radius-input: 6px;
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--color-background); color: var(--color-input-text);
  font: var(--font-weight-normal) var(--font-size-body)/1.5 var(--font-family); }
.container { max-width: var(--container-width); margin: 0 auto; padding: var(--padding-container-top) 16px; }
.card { background: var(--color-card-bg); border: 1px solid var(--color-card-border);
  border-radius: var(--border-radius-card); padding: var(--padding-card); }
.form-header h1 { margin: 0; font-size: var(--font-size-header); font-weight: var(--font-weight-normal);
  color: var(--color-header); }
.form-header p { margin: 8px 0 0; white-space: pre-line; }
.form-group { margin-top: 16px; border: 0; padding: 0; min-width: 0; }
.form-label, legend { display: block; margin-bottom: 4px; color: var(--color-label);
  font-size: var(--font-size-label); font-weight: var(--font-weight-bold); }
.form-required::after { content: " *"; color: var(--color-required); }
.form-input { width: 100%; padding: 10px; font: inherit; color: inherit; background: var(--color-card-bg);
  border: 1px solid var(--color-input-border); border-radius: var(--border-radius-input); }
.form-input:focus-visible, button:focus-visible { outline: 2px solid var(--color-focus-border); outline-offset: 1px; }
.multiselect-option, .radio-option { display: flex; gap: 8px; align-items: center; }
.file-input-wrapper { display: flex; gap: 8px; }
.clear-button { font: inherit; }
#submit-btn { width: 100%; margin-top: 24px; padding: 12px; border: 0; font: inherit; cursor: pointer;
  font-weight: var(--font-weight-bold); border-radius: var(--border-radius-input);
  background: var(--color-submit-btn-bg); color: var(--color-submit-btn-text); }
#submit-btn[disabled] { opacity: .6; cursor: progress; }
.error { color: var(--color-error); margin: 8px 0 0; }
.hidden { display: none; }
.form-attribution { margin-top: 16px; text-align: center; color: var(--color-label); }
`;
