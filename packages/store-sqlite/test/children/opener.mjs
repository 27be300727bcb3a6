// Opens a ledger and says how that went; as another user, where the test says so.
import { openSqliteStore } from "@giveway/store-sqlite";

const [file] = process.argv.slice(2);
const store = openSqliteStore({ file, ballast: 0, minFree: 0 });
try {
  await store.open();
  console.log(JSON.stringify({ code: null }));
  await store.close();
} catch (error) {
  console.log(JSON.stringify({ code: error.code, message: error.message }));
}
