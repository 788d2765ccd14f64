"""
Makes the archives of the tests and the encrypted files: pip install py7zr pyzipper reportlab pypdf, then run
python3 make-archives.py in this folder. The password is "secret".
"""

import io

import py7zr
import pyzipper
from pypdf import PdfReader, PdfWriter
from reportlab.pdfgen import canvas

FILES = (("a.txt", "Text of a\n"), ("folder/grün.html", "<html><h1>A title</h1>"))


def seven_zip(path, **options):
    with py7zr.SevenZipFile(path, "w", **options) as archive:
        for name, text in FILES:
            archive.writestr(text, name)


seven_zip("files/files.7z")
seven_zip("encrypted/secret.7z", password="secret")
seven_zip("encrypted/secret-names.7z", password="secret", header_encryption=True)

with pyzipper.AESZipFile("encrypted/secret.zip", "w") as archive:
    archive.writestr("plain.txt", "Plain text\n")
    archive.setencryption(pyzipper.WZ_AES)
    archive.setpassword(b"secret")
    archive.writestr("secret.txt", "Secret text\n")

page = io.BytesIO()
drawing = canvas.Canvas(page, pagesize=(200, 200), invariant=1)
drawing.drawString(20, 100, "Secret page")
drawing.save()
writer = PdfWriter(PdfReader(page))
writer.encrypt(user_password="secret", owner_password="owner", algorithm="AES-256")
writer.write("encrypted/secret.pdf")
