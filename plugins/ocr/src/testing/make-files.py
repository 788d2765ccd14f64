"""Writes the files of the tests: python make-files.py. It needs pillow and reportlab."""

import os

from PIL import Image, ImageDraw, ImageFont
from reportlab.pdfgen import canvas

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "files"))

image = Image.new("L", (900, 200), 255)
ImageDraw.Draw(image).text((40, 60), "Hello, World!", fill=0, font=ImageFont.load_default(80))
image.save("hello.png", optimize=True)

# A form of 4 x 3 inches on two pages. At 300 pixels per inch it has 1200 x 900 pixels.
form = canvas.Canvas("form.pdf", pagesize=(288, 216), invariant=1)
for number in ["1001", "1002"]:
    form.setFont("Helvetica", 24)
    form.drawString(20, 170, "Invoice")
    form.drawString(20, 60, "Number " + number)
    form.showPage()
form.save()
