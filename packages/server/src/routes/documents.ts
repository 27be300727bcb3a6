import { openApiDocument } from "@giveway/api";
import { GivewayError } from "@giveway/kernel";
import { PAGE_POLICY } from "../guard/security-headers.ts";
import type { Part } from "../http/handler.ts";
import { readAssets } from "../pages/assets.ts";
import { docsPage } from "../pages/docs-page.ts";

const HTML = "text/html; charset=utf-8";
const PAGE_HEADERS = { "content-security-policy": PAGE_POLICY };
/** Kept by browsers, asked for again each time: an update shows at once. */
const ASSET_HEADERS = { "cache-control": "no-cache" };

export function documentHandlers(): Part<"getOpenApi" | "getDocs" | "getPage" | "getAsset"> {
  const openApi = once(() => JSON.stringify(openApiDocument()));
  const docs = once(() => docsPage(openApiDocument()));
  const assets = readAssets();
  return {
    getOpenApi: () => ({ mediaType: "application/json; charset=utf-8", text: openApi() }),
    getDocs: () => ({ mediaType: HTML, text: docs(), headers: PAGE_HEADERS }),
    getPage: () => ({ mediaType: HTML, text: assets.page, headers: PAGE_HEADERS }),
    getAsset: ({ params }) => {
      const asset = assets.files.get(params.file);
      if (asset === undefined) throw new GivewayError("not_found", `there is no file ${params.file}`);
      return { ...asset, headers: ASSET_HEADERS };
    },
  };
}

/** Made when first asked for: a server that nobody asks starts without it. */
function once(make: () => string): () => string {
  let text: string | null = null;
  return () => {
    text ??= make();
    return text;
  };
}
