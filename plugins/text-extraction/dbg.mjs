import { OleFile } from './dist/formats/ole.js';
import { parseFile } from './dist/parsing/parse-file.js';
import fs from 'fs';
const o = await OleFile.open(fs.readFileSync('/tmp/tika-w/docs/testEXCEL_embeded.xls'));
const {bytes}=o.embedded()[1];
const R={name:undefined,contentType:undefined,format:'text',maxCharacters:1e9,maxExpandedBytes:5e8,images:false};
const r=await parseFile({...R,bytes}); console.log(r.problem,r.text.length,r.text.slice(0,200),r.metadata.length);
for (const f of ['testWORD_embedded_rtf.doc','testRTFEmbeddedFiles.rtf','EmbeddedOutlook.docx','testWORD_EMFAndAttachments.docx','testPPT_oleWorkbook.ppt']) { const q=await parseFile({...R,bytes:fs.readFileSync('/tmp/tika-w/docs/'+f)}); console.log(f,q.problem,JSON.stringify(q.text.slice(0,150)),q.metadata.find(([k])=>/EXC/.test(k))); }
