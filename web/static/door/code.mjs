// What stands behind # in a link never leaves the browser: it is put into the form here, and taken out of the address.
const field = document.querySelector("[data-code]");
if (field && location.hash.length > 1) {
  field.value = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
  field.form.querySelector("button").focus();
}
