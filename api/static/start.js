window.ui = SwaggerUIBundle({
  url: document.body.dataset.description,
  dom_id: "#description",
  validatorUrl: null,
  docExpansion: "list",
});
