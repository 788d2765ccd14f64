/**
 * The characters of code page 37, in the order of their bytes. Both bytes that end lines, 0x15 and 0x25, are a line feed,
 * as in Java.
 */
export const CODE_PAGE_37 = [
  '\x00\x01\x02\x03\x9c\x09\x86\x7f\x97\x8d\x8e\x0b\x0c\x0d\x0e\x0f\x10\x11\x12\x13\x9d\x0a\x08\x87\x18',
  '\x19\x92\x8f\x1c\x1d\x1e\x1f\x80\x81\x82\x83\x84\x0a\x17\x1b\x88\x89\x8a\x8b\x8c\x05\x06\x07\x90\x91',
  '\x16\x93\x94\x95\x96\x04\x98\x99\x9a\x9b\x14\x15\x9e\x1a',
  '\x20\xa0âäàáãåçñ¢.<(+|&éêëèíîïìß!$*);¬-/ÂÄÀÁÃÅÇÑ¦,%_>?øÉÊËÈÍÎÏÌ`:#@\'="Øabcdefghi«»ðýþ±°jklmnopqr',
  '\xaa\xbaæ¸Æ¤µ~stuvwxyz¡¿ÐÝÞ®^£¥·©§¶¼½¾[]¯¨´×{ABCDEFGHI\xadôöòóõ}JKLMNOPQR¹ûüùúÿ\\÷STUVWXYZ²ÔÖÒÓÕ0123',
  '456789³ÛÜÙÚ\x9f',
].join('');

/**
 * The other EBCDIC code pages with one byte for each character, by their number: a similar code page, and the differences
 * from it. Each difference is the first byte, in hex, and the characters from there on. Recorded from the charsets of
 * Java 17. U+FFFD marks bytes without a character.
 */
export const CODE_PAGES: Readonly<Record<number, readonly [base: number, differences: string]>> = {
  273: [37, '43{ 4aÄ 4f! 59~Ü 5f^-/Â[ 6aö 7c§ a1ß b0¢ b5@ ba¬| c0ä cc¦òóõü dc}ùúÿÖ ec\\ fc]'],
  277: [37, '47}çñ# 4f! 5a¤Å*);^ 67$ÇÑø 70¦ 7bÆØ\'="@ 9c{¸[]µü b0¢ ba¬| c0æ d0å dc~'],
  278: [37, '43{àáã}çñ§ 4f!&` 5a¤Å*);^-/Â#ÀÁÃ$ÇÑö 71\\ 79é:ÄÖ 9f]µü b0¢ b5[ ba¬| c0ä cc¦òóõå dc~ùúÿÉ ec@'],
  280: [37, '44{áãå\\ 49ñ° 4f!&]êë}íîï~ßé 5f^ 6aò 79ù:£§ 90[ a1ì b0¢#¥·©@ ba¬| c0à cd¦óõè dd`úÿç'],
  284: [37, '49¦[ 5a] 69#ñ 7bÑ a1¨ b0¢ ba^!¯~'],
  285: [37, '4a$ 5b£ a1¯ b0¢[ ba^]~'],
  290: [
    37,
    '41｡｢｣､･\uff66\uff67\uff68\uff69£ 51\uff6a\uff6b\uff6c\uff6d\uff6e\uff6f\ufffdｰ\ufffd!¥ 62abcdefgh\ufffd 70[ijklmnop 80]\uff71\uff72\uff73\uff74\uff75\uff76\uff77\uff78\uff79\uff7aq\uff7b\uff7c\uff7d\uff7e\uff7f\uff80\uff81\uff82\uff83\uff84\uff85\uff86\uff87\uff88\uff89r\ufffd\uff8a\uff8b\uff8c~‾\uff8d\uff8e\uff8f\uff90\uff91\uff92\uff93\uff94\uff95s\uff96\uff97\uff98\uff99^¢\\ b3tuvwxyz\uff9a\uff9b\uff9c\uff9dﾞﾟ ca\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd da\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd$\ufffd ea\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd fa\ufffd\ufffd\ufffd\ufffd\ufffd',
  ],
  297: [37, '44@áãå\\ 49ñ° 4f!&{êë} 5a§ 5f^ 6aù 79µ:£à 90[ a0`¨ b0¢#¥·©] ba¬|¯~´×é d0è dd¦úÿç'],
  420: [
    37,
    '42\u0651\ufe7d\u0640\u200b\u0621\u0622\ufe82\u0623 51\ufe84\u0624\ufffd\ufffd\u0626\u0627\ufe8e\u0628\ufe91 62\u0629\u062a\ufe97\u062b\ufe9b\u062c\ufe9f\u062d 70\ufea3\u062e\ufea7\u062f\u0630\u0631\u0632\u0633\ufeb3\u060c 80\u0634 8a\ufeb7\u0635\ufebb\u0636\ufebf\u0637\u0638 9a\u0639\ufeca\ufecb\ufecc\u063a\ufece\ufecf÷ aa\ufed0\u0641\ufed3\u0642\ufed7\u0643\ufedb\u0644\ufef5\ufef6\ufef7\ufef8\ufffd\ufffd\ufefb\ufefc\ufedf\u0645\ufee3\u0646\ufee7\u0647\u061b cb\ufeeb\ufffd\ufeec\ufffd\u0648\u061f da\u0649\ufef0\u064a\ufef2\ufef3\u0660×\ufffd ea\u0661\u0662\ufffd\u0663\u0664\u0665 fa\ufffd\u0666\u0667\u0668\u0669',
  ],
  424: [
    37,
    '41\u05d0\u05d1\u05d2\u05d3\u05d4\u05d5\u05d6\u05d7\u05d8 51\u05d9\u05da\u05db\u05dc\u05dd\u05de\u05df\u05e0\u05e1 62\u05e2\u05e3\u05e4\u05e5\u05e6\u05e7\u05e8\u05e9 70\ufffd\u05ea\ufffd\ufffd\xa0\ufffd\ufffd\ufffd‗ 80\ufffd 8c\ufffd\ufffd\ufffd 9a\ufffd\ufffd\ufffd¸\ufffd aa\ufffd\ufffd\ufffd\ufffd\ufffd b3• bc‾ cb\ufffd\ufffd\ufffd\ufffd\ufffd db\ufffd\ufffd\ufffd\ufffd\ufffd eb\ufffd\ufffd\ufffd\ufffd\ufffd fb\ufffd\ufffd\ufffd\ufffd',
  ],
  500: [37, '4a[ 4f! 5a] 5f^ b0¢ ba¬|'],
  833: [
    37,
    '41\ufffd\uffa0\uffa1\uffa2\uffa3\uffa4\uffa5\uffa6\uffa7 51\ufffd\uffa8\uffa9\uffaa\uffab\uffac\uffad\uffae\uffaf 62\uffb0\uffb1\uffb2\uffb3\uffb4\uffb5\uffb6\uffb7 70[\ufffd\uffb8\uffb9\uffba\uffbb\uffbc\uffbd\uffbe 80] 8a\uffc2\uffc3\uffc4\uffc5\uffc6\uffc7\ufffd 9a\uffca\uffcb\uffcc\uffcd\uffce\uffcf‾ aa\uffd2\uffd3\uffd4\uffd5\uffd6\uffd7^\ufffd\\ b3\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\uffda\uffdb\uffdc\ufffd\ufffd\ufffd ca\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd da\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd₩\ufffd ea\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd fa\ufffd\ufffd\ufffd\ufffd\ufffd',
  ],
  838: [
    37,
    '42\u0e01\u0e02\u0e03\u0e04\u0e05\u0e06\u0e07[ 51\u0e48\u0e08\u0e09\u0e0a\u0e0b\u0e0c\u0e0d\u0e0e] 62\u0e0f\u0e10\u0e11\u0e12\u0e13\u0e14\u0e15^ 70฿\u0e4e\u0e16\u0e17\u0e18\u0e19\u0e1a\u0e1b\u0e1c 80๏ 8a\u0e1d\u0e1e\u0e1f\u0e20\u0e21\u0e22๚ 9a\u0e23\u0e24\u0e25\u0e26\u0e27\u0e28๛ aa\u0e29\u0e2a\u0e2b\u0e2c\u0e2d\u0e2e๐๑๒๓๔๕๖๗๘๙\u0e2f\u0e30\u0e31\u0e32\u0e33\u0e34 ca\u0e49\u0e35\u0e36\u0e37\u0e38\u0e39 da\u0e3a\u0e40\u0e41\u0e42\u0e43\u0e44\\ e1\u0e4a ea\u0e45ๆ\u0e47\u0e48\u0e49\u0e4a fa\u0e4b\u0e4c\u0e4d\u0e4b\u0e4c',
  ],
  870: [
    37,
    '44ţáăčçć[ 4f!&éęëůíîľĺß] 5f^ 64˝ÁĂČÇĆ| 70ˇÉĘËŮÍÎĽĹ 80˘ 8aśňđýřş 9ałńš¸˛¤ą aaŚŇĐÝŘŞ˙ĄżŢŻ§žźŽŹŁŃŠ cdŕóő daĚűüťúě eaďÔÖŔÓŐ faĎŰÜŤ',
  ],
  871: [37, '4aÞ 4f! 5aÆ 5fÖ 79ð:#Ð 8c`ý{ 9c}¸]¤µö ac@Ý[®¢ ba¬|¯¨\\ bf×þ cc~òóõæ e0´ ec^'],
  875: [
    37,
    '41ΑΒΓΔΕΖΗΘΙ[ 4f!&ΚΛΜΝΞΟΠΡΣ] 5f^-/ΤΥΦΧΨΩΪΫ| 70¨ΆΈΉ\xa0ΊΌΎΏ 80΅ 8aαβγδεζ 9aηθικλμ´ aaνξοπρσ£άέήϊίόύϋώςτυφχψ cbωΐΰ‘― da±½\ufffd·’¦\\ e1\ufffd eb§\ufffd\ufffd«¬ fb©\ufffd\ufffd»',
  ],
  918: [
    37,
    '42\u060c\u061b\u061f\ufe81\ufe8d\ufe8e\uf8fb\ufe8f[ 4f!&\ufe91\ufb56\ufb58\ufe93\ufe95\ufe97\ufb66\ufb68\ufe99] 5f^-/\ufe9b\ufe9d\ufe9f\ufb7a\ufb7c\ufea1\ufea3\ufea5` 70\u06f0\u06f1\u06f2\u06f3\u06f4\u06f5\u06f6\u06f7\u06f8\u06f9 80\ufea7 8a\ufea9\ufb88\ufeab\ufead\ufb8c\ufeaf\ufb8a 9a\ufeb1\ufeb3\ufeb5\ufeb7\ufeb9\ufebb\ufebd aa\ufebf\ufec3\ufec7\ufec9\ufeca\ufecb\ufecc\ufecd\ufece\ufecf\ufed0\ufed1\ufed3\ufed5\ufed7\ufb8e\ufedb|\ufb92\ufb94\ufedd\ufedf cb\ufee0\ufee1\ufee3\ufb9e\ufee5 da\ufee7\ufe85\ufeed\ufba6\ufba8\ufba9\\ e1\ufbaa ea\ufe80\ufe89\ufe8a\ufe8b\ufbfc\ufbfd fa\ufbfe\ufbb0\ufbae\ufe7c\ufe7d',
  ],
  1025: [
    37,
    '42ђѓёєѕіїј[ 4f!&љњћќўџЪ№Ђ] 5f^-/ЃЁЄЅІЇЈЉ| 70ЊЋЌ\xadЎЏюаб 80ц 8aдефгхий 9aклмнопя aaрстужвьызшэщчъЮАБЦДЕФГ caХИЙКЛМ daНОПЯРС\\ e1§ eaТУЖВЬЫ faЗШЭЩЧ',
  ],
  1026: [37, '48{ñÇ 4f! 5aĞİ*);^ 68[Ñş 79ı:ÖŞ\'=Ü 8c}`¦ a1ö ac]$@®¢ ba¬| c0ç cc~òóõğ dc\\ ddùúÿü ec# fc"'],
  1047: [37, '5f^ ad[Þ®¬ baÝ¨¯]'],
  1097: [
    37,
    '42\u060c\u064b\ufe81\ufe82\uf8fa\ufe8d\ufe8e\uf8fb¤ 51\ufe80\ufe83\ufe84\uf8f9\ufe85\ufe8b\ufe8f\ufe91\ufb56 62\ufb58\ufe95\ufe97\ufe99\ufe9b\ufe9d\ufe9f\ufb7a\u061b 70\ufb7c\ufea1\ufea3\ufea5\ufea7\ufea9\ufeab\ufead\ufeaf 80\ufb8a 8c\ufeb1\ufeb3\ufeb5\ufeb7\ufeb9 9a\ufebb\ufebd\ufebf\ufec1\ufec3\ufec5\ufec7 aa\ufec9\ufeca\ufecb\ufecc\ufecd\ufece\ufecf\ufed0\ufed1\ufed3\ufed5\ufed7\ufb8e\ufedb\ufb92\ufb94[]\ufedd\ufedf\ufee1 cb\ufee3\ufee5\ufee7\ufeed\ufee9 da\ufeeb\ufeec\ufba4\ufbfc\ufbfd\ufbfe\\ e1\u061f ea\u0640\u06f0\u06f1\u06f2\u06f3\u06f4 fa\u06f5\u06f6\u06f7\u06f8\u06f9',
  ],
  1112: [37, '42šäąįūåēž 52ęėčų„“ģ 62ŠÄĄĮŪÅĒŽ 72ĘĖČŲĪĻĢ 8cāżń 9aŖŗæķ aa”źĀŻŃ®^£ī bcŹĶļ cbōöņ dbćüłś’ ebŌÖŅ fbĆÜŁŚ'],
  1122: [278, '8cšýž acŠÝŽ bc‾'],
  1123: [1025, '43ґ 62Ґ'],
  1140: [37, '9f€'],
  1141: [273, '9f€'],
  1142: [277, '5a€'],
  1143: [278, '5a€'],
  1144: [280, '9f€'],
  1145: [284, '9f€'],
  1146: [285, '9f€'],
  1147: [297, '9f€'],
  1148: [500, '9f€'],
  1149: [871, '9f€'],
  1166: [1025, '42әғ 48қ 51ңөұүўһЪ№Ә 62Ғ 67ҚЈҢ 70ӨҰҮ\xadЎҺ e1€'],
};
