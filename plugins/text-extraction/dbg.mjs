import { ParseThreads } from './dist/parsing/parse-threads.js';
import fs from 'fs';
const threads = new ParseThreads({ memoryMb: Number(process.argv[2]), timeout: Number(process.argv[3]) }, 1);
const dir='/tmp/tika-w/att/';
let top=0; const t=setInterval(()=>{top=Math.max(top,process.memoryUsage().rss)},50);
for (const name of fs.readdirSync(dir).sort()) {
  if (process.argv[4] && !name.match(process.argv[4])) continue;
  const bytes=fs.readFileSync(dir+name); top=0; const s=performance.now();
  const r = await threads.parse({bytes,name,contentType:undefined,format:'markdown',maxCharacters:2**31-1,maxExpandedBytes:512*2**20,images:false}).catch(e=>({failed:e.message}));
  console.log(name.padEnd(18), Math.round(performance.now()-s)+' ms', Math.round(top/1e6)+' MB rss', r.failed?'FAILED '+r.failed:`text ${r.text.length} problem ${(r.problem?.message??'').slice(0,100)}`);
}
clearInterval(t); await threads.close();
