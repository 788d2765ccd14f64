"""Writes the files of the tests: python make-files.py. It needs python-docx, openpyxl, python-pptx, odfpy, reportlab, xlwt.

image.doc and image.xls were saved by Office: they are testWORD_1img.doc and testEXCEL_1img.xls of the test documents of
Apache Tika (commit 2b70202a, Apache License 2.0).
"""

import datetime as dt
import gzip
import io
import os
import tarfile
import zipfile

import docx
import openpyxl
import pptx
import xlwt
from odf import opendocument, table, text
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen import canvas

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "files"))
WHEN = dt.datetime(2024, 1, 2, 3, 4, 5)

d = docx.Document()
d.core_properties.title = "The title"
d.core_properties.author = "Ann Author"
d.core_properties.created = WHEN
d.add_heading("First chapter", 1)
d.add_paragraph("A paragraph with ünïcode.")
d.add_paragraph("first item", style="List Bullet")
d.add_paragraph("counted", style="List Number")
d.add_heading("A section", 2)
t = d.add_table(2, 2)
for i, cell in enumerate(["name", "price", "a|b", "3"]):
    t.cell(i // 2, i % 2).text = cell
d.add_paragraph("The end.")
d.save("word.docx")

b = openpyxl.Workbook()
b.properties.title = "Prices"
b.properties.creator = "Ann Author"
s = b.active
s.title = "2024"
s.append(["name", "price", "day"])
s.append(["apple", 1.5, dt.date(2024, 1, 2)])
b.create_sheet("empty")
b.create_sheet("more").append(["last"])
b.save("sheet.xlsx")

w = xlwt.Workbook()
ws = w.add_sheet("old")
ws.write(0, 0, "name")
ws.write(0, 1, "price")
ws.write(1, 0, "apple")
ws.write(1, 1, 1.5)
w.save("old.xls")

p = pptx.Presentation()
p.core_properties.title = "Talk"
slide = p.slides.add_slide(p.slide_layouts[1])
slide.shapes.title.text = "Opening"
slide.placeholders[1].text = "first point\nsecond point"
slide.notes_slide.notes_text_frame.text = "Say hello."
slide = p.slides.add_slide(p.slide_layouts[5])
slide.shapes.title.text = "Numbers"
grid = slide.shapes.add_table(2, 2, 0, 0, 900000, 900000).table
for i, cell in enumerate(["a", "b", "1", "2"]):
    grid.cell(i // 2, i % 2).text = cell
p.save("talk.pptx")

o = opendocument.OpenDocumentText()
o.text.addElement(text.H(outlinelevel=1, text="Heading"))
o.text.addElement(text.P(text="A paragraph."))
items = text.List()
item = text.ListItem()
item.addElement(text.P(text="an item"))
items.addElement(item)
o.text.addElement(items)
grid = table.Table(name="T")
for row in [["a", "b"], ["1", "2"]]:
    r = table.TableRow()
    for value in row:
        c = table.TableCell()
        c.addElement(text.P(text=value))
        r.addElement(c)
    grid.addElement(r)
o.text.addElement(grid)
o.save("text.odt")

c = canvas.Canvas("pages.pdf", pagesize=A4, invariant=1)
c.setTitle("The report")
c.setAuthor("Ann Author")
c.setFont("Helvetica-Bold", 20)
c.drawString(72, 770, "Annual report")
c.setFont("Helvetica", 11)
c.drawString(72, 740, "The first line of a paragraph that con-")
c.drawString(72, 726, "tinues here.")
c.drawString(72, 690, "A second paragraph.")
for i, row in enumerate([["name", "price", "count"], ["apple", "1.50", "3"], ["pear", "2.00", "4"]]):
    for j, cell in enumerate(row):
        c.drawString(72 + 120 * j, 650 - 16 * i, cell)
c.showPage()
c.setFont("Helvetica", 11)
c.drawString(72, 770, "Page two.")
c.save()

html = """<!doctype html><html lang="en"><head><title>A page</title><meta name="description" content="About it">
<style>p { color: red }</style></head><body><h1>Head &amp; shoulders</h1><p>Some <b>bold</b>
text.<br>Next line</p><ul><li>one<ul><li>inner</li></ul></li><li>two</li></ul>
<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table><pre>x
  y</pre><script>alert(1)</script></body></html>"""
open("page.html", "w").write(html)

mail = """From: Ann Author <ann@example.org>\r
To: Bob <bob@example.org>\r
Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\r
Date: Tue, 02 Jan 2024 03:04:05 +0000\r
MIME-Version: 1.0\r
Content-Type: multipart/mixed; boundary=x\r
\r
--x\r
Content-Type: text/plain; charset=utf-8\r
\r
Hello Bob.\r
--x\r
Content-Type: text/plain; name=note.txt\r
Content-Disposition: attachment; filename=note.txt\r
\r
An attached note.\r
--x--\r
"""
open("mail.eml", "w", newline="").write(mail)
rtf = r"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}{\f1\fcharset204 Arial;}}{\info{\title hidden}}\f0 First \'e9t\'e9 and \u8364?.\par {\f1 \'cf\'f0\'e8}\par a\cell b\cell\row 1\cell 2\cell\row \pard The end.}"
open("text.rtf", "w").write(rtf)
open("utf8.txt", "w", encoding="utf-8").write("Grüße aus Köln\n")
open("utf16.txt", "w", encoding="utf-16").write("Grüße aus Köln\n")
open("latin1.txt", "w", encoding="latin-1").write("Les élèves français préfèrent l'été à l'hiver, où il a neigé.\n" * 3)

with zipfile.ZipFile("files.zip", "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr("a.txt", "text of a")
    z.writestr("folder/page.html", "<html><body><p>text of b</p></body></html>")
with tarfile.open("files.tar.gz", "w:gz") as tar:
    info = tarfile.TarInfo("note.txt")
    info.size = 12
    tar.addfile(info, io.BytesIO(b"text of note"))
with zipfile.ZipFile("bomb.zip", "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr("zeros.txt", b"0" * (20 * 1024 * 1024))
with zipfile.ZipFile("book.epub", "w") as z:
    z.writestr("mimetype", "application/epub+zip")
    z.writestr("META-INF/container.xml", '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="o/b.opf"/></rootfiles></container>')
    z.writestr("o/b.opf", '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>Book</dc:title><dc:creator>Ann Author</dc:creator></metadata><manifest><item id="c2" href="2.xhtml"/><item id="c1" href="1.xhtml"/></manifest><spine><itemref idref="c1"/><itemref idref="c2"/></spine></package>')
    z.writestr("o/1.xhtml", "<html><body><h1>One</h1></body></html>")
    z.writestr("o/2.xhtml", "<html><body><h1>Two</h1></body></html>")
