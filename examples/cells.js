// A cell starts at a line with `// %%`. To run it, press "Run cell" above it.
// All cells run in the same session, so each can use what the cells before it define.

// %% Write a page
await page.setContent(`
  <title>Guest book</title>
  <form>
    <input name="guest" placeholder="Your name">
    <button>Sign</button>
  </form>
  <ul></ul>
  <script>
    document.querySelector('form').onsubmit = (event) => {
      event.preventDefault();
      const line = document.createElement('li');
      line.textContent = event.target.guest.value;
      document.querySelector('ul').append(line);
    };
  </script>`);
await page.title();

// %% Sign it
const guests = ['Ada', 'Grace', 'Edsger'];

for (const guest of guests) {
  await page.fill('input', guest);
  await page.click('button');
}
`${guests.length} guests signed`;

// %% Read it
const signed = await page.locator('li').allInnerTexts();
console.log(signed.join(', '));
signed.length === guests.length;

// %% Take a screenshot
await page.screenshot({ type: 'png' });
