/** Asks the person for files, in a window of the browser; `picked` is not called when they choose none. */
export function pickFiles(
  accept: string,
  picked: (files: FileList) => void,
  { multiple = false } = {},
): void {
  const input = Object.assign(document.createElement('input'), { type: 'file', accept, multiple });
  input.addEventListener('change', () => {
    if (input.files?.length) picked(input.files);
  });
  input.click();
}
