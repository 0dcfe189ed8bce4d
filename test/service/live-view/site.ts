import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A red square, as an icon. */
const icon = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAYAAAAf8/9hAAAAJklEQVR4nGP4z8DwnxLMMGrAqAGjBowaMGrAqAGjBowaMGrAqAEMAFFI/wE0Iw2RAAAAAElFTkSuQmCC',
  'base64',
);

/** Pages to test live views with: `/` moves all the time, `/still` does not, `/form` takes input. */
const pages: Record<string, string> = {
  '/': `<title>Moving</title><body style="height:3000px"><div id=b style="position:fixed;width:200px;height:200px;background:red"></div>
<script>let i=0;const move=()=>{b.style.left=(i++%800)+'px';requestAnimationFrame(move)};move()</script>`,
  '/still': '<title>Still</title><h1>Still</h1>',
  '/two': '<title>Two</title><h1>Two</h1>',
  '/form': `<title>Form</title><style>body>*{position:fixed;left:20px;width:300px;height:40px;margin:0}</style>
<input id=name style="top:20px"><input id=secret type=password style="top:80px" value="hidden word">
<button style="top:140px" onclick="document.title=String(confirm('Sure?'))">ask</button>
<input type=file id=file style="top:200px"><a href="/two" target=_blank style="top:260px">popup</a>
<select id=size aria-label=Size style="left:400px;top:20px"><option>Small<option>Large</select><a href="/report" style="left:400px;top:80px">report</a>
<div id=log style="top:320px">-</div><div style="top:380px;overflow:scroll" id=long><p style="height:2000px">long</p></div>
<script>window.inputs=[];window.hits=[];for(const type of ['mousedown','mouseup','click'])addEventListener(type,event=>hits.push(type+' '+event.target.tagName+' '+event.clientX+','+event.clientY),true);for(const type of ['mousedown','mousemove','keydown','wheel','paste','input'])addEventListener(type,event=>{inputs.push(type);log.textContent=type+(event.key??'')},true)</script>`,
};

export interface Site {
  origin: string;
  close(): void;
}

export async function startSite(): Promise<Site> {
  const server = createServer((request, response) => {
    if (request.url === '/favicon.ico') return response.setHeader('content-type', 'image/png').end(icon);
    if (request.url === '/report') {
      return response.setHeader('content-disposition', 'attachment; filename="report.csv"').end('a,b\n');
    }
    const page = pages[request.url ?? ''];
    response.writeHead(page ? 200 : 404, { 'content-type': 'text/html' }).end(page ?? 'nothing');
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => server.close(),
  };
}
