// Press ▶ in the editor's title bar to run this file in a real browser session. `page` is an open tab in it.
import { createServer } from 'node:http';

// A local page to open, so that this example needs no internet.
const shop = createServer((request, response) => {
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(`<!doctype html>
    <title>The Corner Shop</title>
    <h1>The Corner Shop</h1>
    <table>
      <tr><td>Apples</td><td>2.40</td></tr>
      <tr><td>Bread</td><td>3.10</td></tr>
      <tr><td>Cheese</td><td>5.80</td></tr>
    </table>`);
});
await new Promise((ready) => shop.listen(0, '127.0.0.1', ready));

await page.goto(`http://127.0.0.1:${shop.address().port}/`);
console.log(`Opened "${await page.title()}"`);

const goods = await page.$$eval('tr', (rows) =>
  rows.map((row) => ({ name: row.cells[0].innerText, price: Number(row.cells[1].innerText) })),
);
console.log(`${goods.length} goods, ${goods.reduce((sum, { price }) => sum + price, 0).toFixed(2)} in total`);

shop.close();

// The value of the last expression is the result.
goods;
