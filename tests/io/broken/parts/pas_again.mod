pas
