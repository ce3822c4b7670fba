/**
 * The script of form pages: sends the form, and follows the execution to its next page. Without it the browser sends
 * the form itself, and the server answers with pages.
 */
export const FORM_SCRIPT = `
(() => {
  const form = document.getElementById('form');
  const button = document.getElementById('submit-btn');
  const problem = document.getElementById('error-submit');
  const settings = JSON.parse(document.getElementById('form-settings').textContent);
  for (const clear of document.querySelectorAll('.clear-button')) {
    clear.addEventListener('click', () => { document.getElementById(clear.dataset.clears).value = ''; });
  }
  const fail = (message) => {
    problem.textContent = message;
    problem.classList.remove('hidden');
    button.disabled = false;
  };
  const checkChoices = () => {
    for (const group of document.querySelectorAll('[data-choices]')) {
      const boxes = [...group.querySelectorAll('input')];
      const chosen = boxes.filter((box) => box.checked).length;
      const { min = 0, max } = group.dataset;
      const required = group.dataset.required === 'true' && chosen === 0;
      let message = required ? 'Choose an option' : '';
      if (chosen > 0 || group.dataset.required === 'true') {
        if (chosen < Number(min)) message = 'Choose at least ' + min;
        if (max !== undefined && chosen > Number(max)) message = 'Choose at most ' + max;
      }
      boxes[0]?.setCustomValidity(message);
    }
  };
  form.addEventListener('change', checkChoices);
  checkChoices();
  const body = () => {
    const data = new FormData(form);
    for (const group of document.querySelectorAll('[data-choices]')) {
      const values = [...group.querySelectorAll('input:checked')].map((box) => box.value);
      data.delete(group.dataset.choices);
      if (values.length > 0) data.set(group.dataset.choices, JSON.stringify(values));
    }
    return data;
  };
  const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  // The server may be reached by another address than the public one: the page stays at its own.
  const follow = async (shown) => {
    const own = location.href.replace(/\\/form(-test|-waiting)?\\/.*$/i, '');
    const address = own + shown.slice(shown.indexOf('/form-waiting/'));
    const status = new URL(address);
    status.pathname += '/n8n-execution-status';
    let failures = 0;
    for (let pause = 200; failures < 10; pause = Math.min(3000, pause * 1.5)) {
      const state = await fetch(status).then((answer) => answer.text()).catch(() => {
        failures++;
        return 'running';
      });
      if (state !== 'running' && state !== 'new') break;
      await wait(pause);
    }
    location.href = address;
  };
  const finish = () => {
    if (settings.redirectUrl) { location.href = settings.redirectUrl; return; }
    document.getElementById('form-card').classList.add('hidden');
    document.getElementById('submitted').classList.remove('hidden');
  };
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    button.disabled = true;
    problem.classList.add('hidden');
    let answer;
    try {
      const headers = settings.token ? { 'x-auth-token': settings.token } : {};
      answer = await fetch(location.href, { method: 'POST', body: body(), headers });
    } catch {
      // A page that may not send a request itself can still submit its form.
      form.submit();
      return;
    }
    const text = await answer.text();
    let value;
    try { value = JSON.parse(text); } catch { value = undefined; }
    if (!answer.ok) { fail((value && value.message) || 'The form could not be sent'); return; }
    if (value && value.formWaitingUrl) { await follow(value.formWaitingUrl); return; }
    if (settings.waiting) { await follow(location.href); return; }
    if (value && value.redirectURL) { location.href = value.redirectURL; return; }
    if (answer.redirected) { location.href = answer.url; return; }
    if (value && value.formSubmittedText) {
      document.getElementById('submitted-text').textContent = value.formSubmittedText;
    } else if (text !== '' && !(value && value.status === 200)) {
      document.getElementById('submitted-text').textContent = typeof value === 'string' ? value : text;
    }
    finish();
  });
})();
`;
