// rates
