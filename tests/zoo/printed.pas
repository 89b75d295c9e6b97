{ SPDX-License-Identifier: MIT }
{ Results of Free Pascal. Prints each result as printed.py reads it: NAME, and the fields in JSON. }
program printed;
{$mode objfpc}{$H+}
type
  TColor = (red, green, blue);
  TOwn = type currency;
  TInt = type int64;
  TRange = 10..200;
  TPair = record x, y: smallint; end;
function ret_int(a, b: integer): integer; begin result := a * b; end;
function ret_byte(b: byte): byte; begin result := b + 100; end;
function ret_short(b: shortint): shortint; begin result := b - 100; end;
function ret_qword(q: qword): qword; begin result := q - 1; end;
function ret_int64(q: int64): int64; begin result := q * 3; end;
function ret_own_int(q: TInt): TInt; begin result := -q; end;
function ret_bool(n: integer): boolean; begin result := odd(n); end;
function ret_enum(n: integer): TColor; begin result := TColor(n mod 3); end;
function ret_range(n: integer): TRange; begin result := 10 + n; end;
{ in st(0), although they are integers by the debug information: }
function ret_currency(n: integer): currency; begin result := n; result := result / 2; end;
function ret_own_currency(n: integer): TOwn; begin result := n; end;
function ret_comp(n: integer): comp; begin result := n; end;
function ret_extended(n: integer): extended; begin result := n; end;
function ret_double(n: integer): double; begin result := n; end;
function ret_pair(n: integer): TPair; begin result.x := n; result.y := -n; end;
function ret_string(n: integer): string; begin str(n, result); end;
procedure told(const name, value: string); begin writeln(name, ' {"retval": ', value, '}'); end;
procedure told(const name: string; value: int64); var s: string;
begin str(value, s); told(name, s); end;
const bools: array[boolean] of string = ('false', 'true');
var n: integer; q: qword; s: string; p: TPair; m: int64;
begin
  for n := 1 to 5 do begin
    told('ret_int', ret_int(n, -7)); told('ret_byte', ret_byte(n * 50));
    told('ret_short', ret_short(-n * 20));
    q := ret_qword(0); str(q, s); told('ret_qword', s);
    told('ret_int64', ret_int64(int64(n) shl 40)); told('ret_own_int', ret_own_int(n));
    told('ret_bool', bools[ret_bool(n)]); told('ret_enum', ord(ret_enum(n)));
    told('ret_range', ret_range(n));
    m := trunc(ret_currency(n) * 10000); told('ret_currency', m);
    m := trunc(ret_own_currency(n) * 10000); told('ret_own_currency', m);
    m := trunc(ret_comp(n)); told('ret_comp', m);
    str(ret_extended(n):0:1, s); told('ret_extended', s);
    str(ret_double(n):0:1, s); told('ret_double', s);
    p := ret_pair(n); told('ret_pair', p.x); told('ret_string', '"' + ret_string(n) + '"');
  end;
end.
