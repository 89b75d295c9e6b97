--  SPDX-License-Identifier: MIT
--  Types of Ada: ranges, which are types of their own in the debug information, also one that is
--  stored relative to its first value, enumerations, characters, arrays and records.
procedure Parts is
   type Small is range -5 .. 100;
   type Modular is mod 256;
   type Colour is (Red, Green, Blue);
   subtype Warm is Colour range Red .. Green;
   type Far is range 1000 .. 1015;
   type Numbers is array (3 .. 5) of Small;
   type Item is record
      N    : Small;
      At_X : Integer;
      On   : Boolean;
      List : Numbers;
   end record;
   type Packed is record
      Low  : Far;
      High : Far;
   end record;
   for Packed use record
      Low  at 0 range 0 .. 7;
      High at 1 range 0 .. 7;
   end record;

   Sum : Integer := 0;

   procedure Look (A : Small; B : Natural; M : Modular; C : Warm; L : Character);
   pragma No_Inline (Look);
   procedure Look (A : Small; B : Natural; M : Modular; C : Warm; L : Character) is
   begin
      Sum := Sum + Integer (A) + B + Integer (M) + Colour'Pos (C) + Character'Pos (L);
   end Look;

   procedure Take (It : in out Item; P : in out Packed);
   pragma No_Inline (Take);
   procedure Take (It : in out Item; P : in out Packed) is
   begin
      It.At_X := It.At_X + Integer (It.N) + Integer (P.Low);
      P.High := P.Low;
   end Take;

   It : Item := (-3, 7, True, (-1, 2, 100));
   P  : Packed := (1003, 1010);
begin
   Look (-5, 1, 200, Green, 'k');
   Look (100, 70_000, 7, Red, 'Z');
   Take (It, P);
   if Sum + It.At_X = 0 then
      raise Program_Error;
   end if;
end Parts;
