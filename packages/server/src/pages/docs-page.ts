import {
  type JsonSchema,
  type OpenApiDocument,
  type OpenApiOperation,
  type OpenApiParameter,
  problemTitle,
} from "@giveway/api";
import { ERROR_CODES } from "@giveway/kernel";
import { type Html, html, marked } from "./html.ts";

/** The API for people: one page, made once from the OpenAPI document, that loads nothing but its style sheet. */
export function docsPage(document: OpenApiDocument): string {
  const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  const sections = document.tags.map(({ name, description }) => {
    const own = calls.filter(({ operation }) => operation.tags.includes(name));
    return html`
<section id="${name}"><h2>${title(name)}</h2><p class="hint">${description}</p>
${own.map(({ method, path, operation }) => call(method, path, operation))}
</section>`;
  });
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Giveway: HTTP API</title>
<link rel="icon" href="assets/icon.svg">
<link rel="stylesheet" href="assets/page.css">
</head>
<body class="docs">
<header><h1>Giveway <small>HTTP API</small></h1>
<nav>${document.tags.map(({ name }) => html`<a href="#${name}">${title(name)}</a> `)}
<a href="#schemas">Schemas</a> <a href="#errors">Errors</a> <a href="openapi.json">OpenAPI 3.1</a></nav></header>
<main>
<p>${marked(INTRODUCTION)}</p>
${sections}
${schemas(document)}
${errors()}
</main>
</body>
</html>
`.text;
}

const INTRODUCTION =
  "Bodies are JSON in UTF-8. Ids and names in paths are URL-encoded. Errors are `application/problem+json` with a stable `code`. " +
  "Where the server has tokens, send one as `Authorization: Bearer <token>`; each call names the role it needs.";

const title = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

function call(method: string, path: string, operation: OpenApiOperation): Html {
  return html`
<article id="${operation.operationId}">
<h3><span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code> <span class="role">${operation["x-role"]}</span></h3>
<p>${operation.summary}.${operation.description === undefined ? "" : html` ${marked(operation.description)}`}</p>
${operation.parameters === undefined ? "" : table(["Parameter", "In", "Value", ""], operation.parameters.map(parameter))}
${body(operation)}
${table(
  ["Status", "Answer", ""],
  Object.entries(operation.responses).map(([status, response]) => answer(status, response)),
)}
</article>`;
}

function table(heads: readonly string[], rows: readonly Html[]): Html {
  return html`<table><thead><tr>${heads.map((head) => html`<th>${head}</th>`)}</tr></thead><tbody>${rows}</tbody></table>`;
}

function parameter({ name, in: place, schema, description }: OpenApiParameter): Html {
  return html`<tr><td><code>${name}</code></td><td>${place}</td><td>${shape(schema)}</td><td>${marked(description ?? "")}</td></tr>`;
}

function body(operation: OpenApiOperation): Html | "" {
  const schema = operation.requestBody?.content["application/json"]?.schema;
  if (schema === undefined) return "";
  return html`<p>Body${operation.requestBody?.required === true ? "" : " (may be left out)"}: ${shape(schema)}</p>`;
}

function answer(status: string, response: OpenApiOperation["responses"][string]): Html {
  const [mediaType, content] = Object.entries(response.content ?? {})[0] ?? [];
  const what = content?.schema === undefined ? (mediaType ?? "nothing") : shape(content.schema);
  return html`<tr><td>${status}</td><td>${what}</td><td>${marked(response.description)}</td></tr>`;
}

/** What a schema says, in a few words; named ones are links. */
function shape(schema: JsonSchema): Html {
  const { $ref, type, anyOf, items, enum: values, const: only } = schema;
  if (typeof $ref === "string") {
    const name = $ref.slice($ref.lastIndexOf("/") + 1);
    return html`<a href="#schema-${name}">${name}</a>`;
  }
  if (only !== undefined) return html`<code>${JSON.stringify(only)}</code>`;
  if (Array.isArray(values))
    return html`${values.map((value, at) => html`${at === 0 ? "" : " | "}<code>${String(value)}</code>`)}`;
  if (Array.isArray(anyOf))
    return html`${anyOf.map((one, at) => html`${at === 0 ? "" : " or "}${shape(one as JsonSchema)}`)}`;
  if (type === "array") return html`list of ${shape((items ?? {}) as JsonSchema)}`;
  if (type === "object") return objectShape(schema);
  if (typeof type === "string") return html`${schema["format"] === "date-time" ? "instant (UTC ISO)" : type}`;
  return Array.isArray(type) ? html`${type.join(" or ")}` : html`any JSON`;
}

function objectShape(schema: JsonSchema): Html {
  const properties = Object.entries((schema["properties"] ?? {}) as Record<string, JsonSchema>);
  if (properties.length === 0) return html`object`;
  const required = new Set((schema["required"] ?? []) as readonly string[]);
  return html`<dl>${properties.map(
    ([name, part]) =>
      html`<dt><code>${name}</code>${required.has(name) ? "" : "?"}</dt><dd>${shape(part)}${describe(part)}</dd>`,
  )}</dl>`;
}

function describe(schema: JsonSchema): Html | "" {
  const { description } = schema;
  return typeof description === "string" ? html` <span class="hint">${marked(description)}</span>` : "";
}

function schemas(document: OpenApiDocument): Html {
  const all = Object.entries(document.components.schemas).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return html`
<section id="schemas"><h2>Schemas</h2>
${all.map(
  ([name, schema]) => html`<article id="schema-${name}"><h3>${name}</h3>${describe(schema)}${shape(schema)}</article>`,
)}
</section>`;
}

function errors(): Html {
  const rows = Object.entries(ERROR_CODES).map(
    ([code, { status, retryable }]) =>
      html`<tr id="error-${code}"><td><code>${code}</code></td><td>${status}</td><td>${problemTitle(code)}</td><td>${retryable ? "may succeed later" : ""}</td></tr>`,
  );
  return html`
<section id="errors"><h2>Errors</h2>
<p class="hint">The <code>type</code> of a problem leads here.</p>
${table(["Code", "Status", "Title", "Repeating it"], rows)}
</section>`;
}
